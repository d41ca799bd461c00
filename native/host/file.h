// Reading and writing at a position of an open file, completely or with an error.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "../core/base.h"

namespace lookalike {

inline void write_all(int file, const void* data, u64 bytes, i64 at) {
    for (const char* from = static_cast<const char*>(data); bytes > 0;) {
        const ssize_t done = pwrite(file, from, bytes, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) throw std::system_error(done < 0 ? errno : EIO, std::generic_category(), "a temporary file");
        from += done, bytes -= static_cast<u64>(done), at += done;
    }
}

inline void read_all(int file, void* data, u64 bytes, i64 at) {
    for (char* to = static_cast<char*>(data); bytes > 0;) {
        const ssize_t done = pread(file, to, bytes, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) throw std::system_error(done < 0 ? errno : EIO, std::generic_category(), "a temporary file");
        to += done, bytes -= static_cast<u64>(done), at += done;
    }
}

}  // namespace lookalike
