// Reading and writing at a position of an open file, completely or with an error.
#pragma once
#include <fcntl.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/uio.h>
#endif

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

// Reads the bytes if the system has them in memory. Returns false if it has to fetch any of them, or does not know.
inline bool read_cached(int file, void* data, u64 bytes, i64 at) {
#if defined(__linux__) && defined(RWF_NOWAIT)
    const iovec to{data, bytes};
    return preadv2(file, &to, 1, at, RWF_NOWAIT) == static_cast<ssize_t>(bytes);
#else
    (void)file, (void)data, (void)bytes, (void)at;
    return false;
#endif
}

// Lets the system start to fetch bytes that will be read soon. It does not wait, and it does not fail.
inline void will_need(int file, u64 bytes, i64 at) {
#if defined(POSIX_FADV_WILLNEED)
    posix_fadvise(file, at, static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
#else
    (void)file, (void)bytes, (void)at;
#endif
}

}  // namespace lookalike
