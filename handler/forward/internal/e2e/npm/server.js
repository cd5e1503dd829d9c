// Usage: node server.js PORT FILE
//
// Runs npm's FluentServer and appends each entry to FILE, a line of JSON with
// tag, seconds, nanoseconds and record. Ends at SIGTERM.
const fs = require("fs");
const { FluentServer } = require("@fluent-org/logger");

const out = fs.openSync(process.argv[3], "a");
const server = new FluentServer({
  listenOptions: { host: "127.0.0.1", port: Number(process.argv[2]) },
});

server.on("entry", (tag, time, record) => {
  const line = { tag, sec: time.epoch, nsec: time.nano, record };
  fs.writeSync(out, JSON.stringify(line) + "\n");
});

process.on("SIGTERM", () => process.exit(0));
server.listen();
