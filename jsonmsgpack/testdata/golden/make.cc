#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using json = nlohmann::ordered_json;

// nlohmann writes a float that float32 holds exactly as float32, which this
// package never does: such documents are left to python.
static bool compact(const json &j) {
	if (j.is_number_float()) {
		double d = j.get<double>();
		return static_cast<double>(static_cast<float>(d)) == d;
	}
	if (j.is_structured())
		for (const auto &e : j)
			if (compact(e)) return true;
	return false;
}

int main() {
	std::string line;
	while (std::getline(std::cin, line)) {
		json j = json::parse(line);
		if (compact(j)) {
			std::puts("-");
			continue;
		}
		for (auto b : json::to_msgpack(j)) std::printf("%02x", b);
		std::puts("");
	}
}
