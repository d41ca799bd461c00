-- What wrk sends and checks: queries, each of which has a planted neighbour that its answer must contain.
--
--     wrk -t 8 -c 8 -d 60 --latency -s service_queries.lua http://127.0.0.1:8321 -- QUERIES TOKEN
--
-- A line of the file QUERIES has the id of the neighbour, a tab, and the body of the request. Each thread has one
-- connection, so answers arrive in the order of the requests.

local threads = {}

function setup(thread)
   thread:set("number", #threads)
   table.insert(threads, thread)
end

function init(args)
   ids, bodies, right, refused, missed, first = {}, {}, 0, 0, 0, ""
   for line in io.lines(args[1]) do
      local tab = line:find("\t", 1, true)
      table.insert(ids, '"id":"' .. line:sub(1, tab - 1) .. '"')
      table.insert(bodies, line:sub(tab + 1))
   end
   headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. args[2] }
   at = number * 997 % #ids
end

function request()
   at = at % #ids + 1
   return wrk.format("POST", "/query", headers, bodies[at])
end

function response(status, _, body)
   if status ~= 200 then
      refused = refused + 1
   elseif not body:find(ids[at], 1, true) then
      missed = missed + 1
   else
      right = right + 1
      return
   end
   if first == "" then first = status .. " for " .. ids[at] .. ": " .. body:sub(1, 200) end
end

local function sum(name)
   local total = 0
   for _, thread in ipairs(threads) do total = total + thread:get(name) end
   return total
end

function done(summary, latency)
   local failed = 0
   for _, count in pairs(summary.errors) do failed = failed + count end
   for _, thread in ipairs(threads) do
      if thread:get("first") ~= "" then io.stderr:write(thread:get("first"), "\n") end
   end
   io.write(string.format(
      '\n{"right": %d, "not 200": %d, "without the neighbour": %d, "errors of wrk": %d, "seconds": %.3f, ' ..
      '"p50": %.3f, "p90": %.3f, "p99": %.3f, "longest": %.3f}\n',
      sum("right"), sum("refused"), sum("missed"), failed, summary.duration / 1e6, latency:percentile(50) / 1e3,
      latency:percentile(90) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
