// Usage: node server.js PORT FILE [KEY USER PASSWORD]
//
// Runs npm's FluentServer, with a shared key and a user if they are given, and
// appends each entry to FILE, a line of JSON with tag, seconds, nanoseconds and
// record. Ends at SIGTERM.
const fs = require("fs");
const { FluentServer } = require("@fluent-org/logger");

const [port, file, key, user, password] = process.argv.slice(2);
const out = fs.openSync(file, "a");
const options = { listenOptions: { host: "127.0.0.1", port: Number(port) } };
if (key) {
  options.security = {
    serverHostname: "npm.test",
    sharedKey: key,
    authorize: true,
    userDict: { [user]: password },
  };
}
const server = new FluentServer(options);

server.on("entry", (tag, time, record) => {
  const line = { tag, sec: time.epoch, nsec: time.nano, record };
  fs.writeSync(out, JSON.stringify(line) + "\n");
});

process.on("SIGTERM", () => process.exit(0));
server.listen();
