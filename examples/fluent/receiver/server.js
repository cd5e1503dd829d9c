// Runs npm's FluentServer on a free port of the loopback interface. Prints lines
// of JSON: {"port": N} first, then each entry with tag, time and record. Ends
// when its standard input does, and so with the program that started it.
const { FluentServer } = require("@fluent-org/logger");

const print = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const server = new FluentServer({ listenOptions: { host: "127.0.0.1", port: 0 } });

server.on("entry", (tag, time, record) => {
  const second = new Date(time.epoch * 1000).toISOString().slice(0, 19);
  print({ tag, time: `${second}.${String(time.nano).padStart(9, "0")}Z`, record });
});

// A terminal's Ctrl-C reaches this process, too. The service's last records come
// after it.
process.on("SIGINT", () => {});
process.stdin.on("end", () => process.stdout.write("", () => process.exit(0)));
process.stdin.resume();
server.listen().then(() => print({ port: server.port }));
