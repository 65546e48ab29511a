// What a policy reads its section through: each getter, and how each fault is named.
#include "qosarb/policy/config_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "qosarb/config/yaml_reader.hpp"

namespace qosarb::test {
namespace {

constexpr const char* kText = R"(count: 7
negative: -3
wide: 0x10000000000000000
number: 1.5
word: deficit
flag: true
list: [1, 2, x]
entries:
  - {weight: 1}
  - weight: 70000
    queue: 9
quoted: "7"
hex: 0xffffffffffffffff
nan: .nan
map: {a: 1}
infinite: inf
upper: 0X1F
empty: ""
letter: 7z
hexadecimal: 0x1p-1
nothing:

plus: +3
signs: +-3
)";

class ConfigReaderTest : public ::testing::Test {
 protected:
  ConfigReader& reader() { return reader_; }

  /// What is wrong when `read` reads: "3: fault", without the file's name.
  std::string fault(const std::function<void(ConfigReader&)>& read) {
    try {
      read(reader_);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("c.yaml:")) << message;
      return message.substr(std::string("c.yaml:").size());
    }
    return "accepted";
  }

 private:
  MapReader reader_{YAML::Load(kText), "c.yaml", "arbiter"};
};

TEST_F(ConfigReaderTest, GivesWhatStandsThere) {
  EXPECT_TRUE(reader().has("count"));
  EXPECT_FALSE(reader().has("counts"));
  EXPECT_EQ(reader().integer("count", 7, 7), 7);
  EXPECT_EQ(reader().integer("negative", -3, 0), -3);
  EXPECT_EQ(reader().integer_or("counts", 0, 9, 5), 5);
  EXPECT_EQ(reader().integer_or("count", 0, 9, 5), 7);
  EXPECT_EQ(reader().index("count", 0, 7), 7);
  EXPECT_EQ(reader().index_or("counts", 0, 7, -1), -1);
  EXPECT_EQ(reader().unsigned_32("count", 0, 7), 7U);
  EXPECT_EQ(reader().unsigned_32_or("counts", 0, 7, 3), 3U);
  EXPECT_EQ(reader().unsigned_64("hex"), UINT64_MAX);
  EXPECT_EQ(reader().number("number", 1.5, 1.5), 1.5);
  EXPECT_EQ(reader().unsigned_64("upper"), 0x1fU);
  EXPECT_EQ(reader().integer("upper", 0, 0x1f), 0x1f);
  EXPECT_EQ(reader().integer("plus", 3, 3), 3);
  EXPECT_EQ(reader().number("plus", 3, 3), 3);
  EXPECT_TRUE(reader().boolean_or("flag", false));
  EXPECT_TRUE(reader().boolean_or("flags", true));
  EXPECT_EQ(reader().text("word"), "deficit");
  EXPECT_EQ(reader().choice("word", {"basic", "deficit"}), 1U);
  EXPECT_EQ(reader().choice_or("words", {"basic", "deficit"}, 0), 0U);
  enum class Kind { Basic, Deficit };
  EXPECT_EQ(reader().choice<Kind>("word", {"basic", "deficit"}), Kind::Deficit);
  EXPECT_EQ(reader().choice_or("word", {"basic", "deficit"}, Kind::Basic), Kind::Deficit);
  EXPECT_EQ(reader().choice_or("words", {"basic", "deficit"}, Kind::Deficit), Kind::Deficit);
  const auto entries = reader().items("entries", 2, 2);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0]->unsigned_32("weight", 1, 1), 1U);
  EXPECT_EQ(entries[1]->index("queue", 0, 9), 9);
  EXPECT_EQ(entries[1]->path("queue"), "arbiter.entries[1].queue");
}

TEST_F(ConfigReaderTest, NamesFileLineAndFaultOfAValue) {
  const std::vector<std::pair<std::string, std::function<void(ConfigReader&)>>> cases = {
      {"1: arbiter lacks the key 'counts'", [](auto& r) { r.integer("counts", 0, 9); }},
      {"1: arbiter lacks the key 'texts'", [](auto& r) { r.text("texts"); }},
      {"1: arbiter.count is 7, which is not within 8..9",
       [](auto& r) { r.integer("count", 8, 9); }},
      {"2: arbiter.negative is -3, which is not within 0..9",
       [](auto& r) { r.index("negative", 0, 9); }},
      {"2: arbiter.negative is -3, which is not within 0..4294967295",
       [](auto& r) { r.unsigned_32("negative", 0, UINT32_MAX); }},
      {"2: arbiter.negative must be an integer without sign",
       [](auto& r) { r.unsigned_64("negative"); }},
      {"3: arbiter.wide does not fit 64 bits", [](auto& r) { r.unsigned_64("wide"); }},
      {"3: arbiter.wide is 0x10000000000000000, which is not within 0..9223372036854775807",
       [](auto& r) { r.integer("wide", 0, INT64_MAX); }},
      {"4: arbiter.number must be an integer", [](auto& r) { r.integer("number", 0, 9); }},
      {"4: arbiter.number is 1.5, which is not within 0..1",
       [](auto& r) { r.number("number", 0, 1); }},
      {"5: arbiter.word must be a number", [](auto& r) { r.number("word", 0, 1); }},
      {"5: arbiter.word must be true or false", [](auto& r) { r.boolean_or("word", true); }},
      {"5: arbiter.word is 'deficit'; it must be one of rr, sbt",
       [](auto& r) {
         r.choice("word", {"rr", "sbt"});
       }},
      {"5: arbiter.word is 'deficit'; it must be one of rr",
       [](auto& r) { r.choice_or("word", {"rr"}, 0); }},
      {"5: arbiter.word must be a list", [](auto& r) { r.items("word", 1, 2); }},
      {"7: arbiter.list[2] must be an integer", [](auto& r) { r.integers("list", 0, 9, 1, 9); }},
      {"7: arbiter.list[1] is 2, which is not within 0..1",
       [](auto& r) { r.integers("list", 0, 1, 1, 9); }},
      {"7: arbiter.list has 3 items; 1 to 2 are allowed",
       [](auto& r) { r.integers("list", 0, 9, 1, 2); }},
      {"7: arbiter.list[0] must be a map of keys", [](auto& r) { r.items("list", 1, 9); }},
      {"10: arbiter.entries[1].weight is 70000, which is not within 0..65535",
       [](auto& r) { r.items("entries", 1, 2)[1]->unsigned_32("weight", 0, 65535); }},
      {"12: arbiter.quoted must be an integer", [](auto& r) { r.integer("quoted", 0, 9); }},
      {"14: arbiter.nan must be a number", [](auto& r) { r.number("nan", 0, 1); }},
      {"15: arbiter.map must be a text", [](auto& r) { r.text("map"); }},
      {"15: arbiter.map must be a number", [](auto& r) { r.number("map", 0, 1); }},
      {"15: arbiter.map must be an integer without sign", [](auto& r) { r.unsigned_64("map"); }},
      {"12: arbiter.quoted must be a number", [](auto& r) { r.number("quoted", 0, 9); }},
      {"12: arbiter.quoted must be an integer without sign",
       [](auto& r) { r.unsigned_64("quoted"); }},
      {"16: arbiter.infinite must be a number", [](auto& r) { r.number("infinite", 0, 1); }},
      {"18: arbiter.empty must be a text", [](auto& r) { r.text("empty"); }},
      {"19: arbiter.letter must be an integer without sign",
       [](auto& r) { r.unsigned_64("letter"); }},
      {"20: arbiter.hexadecimal must be a number", [](auto& r) { r.number("hexadecimal", 0, 1); }},
      {"21: arbiter.nothing must be a text", [](auto& r) { r.text("nothing"); }},
      {"23: arbiter.plus must be an integer without sign", [](auto& r) { r.unsigned_64("plus"); }},
      {"24: arbiter.signs must be an integer", [](auto& r) { r.integer("signs", -9, 9); }},
      {"24: arbiter.signs must be a number", [](auto& r) { r.number("signs", -9, 9); }},
  };
  for (const auto& [expected, read] : cases) {
    EXPECT_EQ(fault(read), expected);
  }
}

// Where its key stands, not where the file goes on.
TEST(MapReader, NamesTheLineOfAMapThatIsNotThere) {
  MapReader file(YAML::Load("arbiter:\n\nrun: {seed: 1}\n"), "c.yaml", kWholeFile);
  try {
    file.map("arbiter");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "c.yaml:1: arbiter must be a map of keys");
  }
}

/// What is wrong with a file of that text: "3: fault".
std::string fault_of_file(const std::string& text) {
  const std::string file = testing::TempDir() + "config-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
  std::ofstream(file, std::ios::binary) << text;
  std::string says = "accepted";
  try {
    load_yaml_map(file);
  } catch (const InputError& error) {
    says = std::string(error.what()).substr(file.size() + 1);
  }
  std::filesystem::remove(file);
  return says;
}

TEST(LoadYamlMap, NamesTheLineThatLacksAValue) {
  EXPECT_EQ(fault_of_file("a: 1\n"), "accepted");
  EXPECT_EQ(fault_of_file("# one\narbiter:\n\n # none\n\n"), "2: a value is missing");
  EXPECT_EQ(fault_of_file("a:\nb: 1\n"), "1: a value is missing");
  EXPECT_EQ(fault_of_file("a: # later\n  b: 1\n  c:\r\n\r\nd: 1\n"), "3: a value is missing");
  EXPECT_EQ(fault_of_file("a:\n  -\n  - {b: 1}\n"), "2: a value is missing");
  EXPECT_EQ(fault_of_file("a:\n  - {b: 1}\n  -\n\n  - 3\n"), "3: a value is missing");
  EXPECT_EQ(fault_of_file("a: [1,\n  ~, 3]\n"), "2: a value is missing");
  EXPECT_EQ(fault_of_file("a: null"), "1: a value is missing");
  EXPECT_EQ(fault_of_file("a:\nnullable: 1\n"), "1: a value is missing");
}

// The name of a file would end there.
TEST(LoadYamlMap, RefusesTextsWithANullCharacter) {
  EXPECT_EQ(fault_of_file("a: 1\nb: [\"f.goal\\0x\"]\n"), "2: a text with a null character");
  EXPECT_EQ(fault_of_file("a: 1\n\"b\\0\": 2\n"), "2: a text with a null character");
}

TEST(LoadYamlMap, RefusesTextsThatAreNotUtf8) {
  for (const char* good :
       {"plain", "B\xc3\xbcro", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbd"}) {
    EXPECT_EQ(fault_of_file(fmt::format("a: {}\n", good)), "accepted") << good;
  }
  for (const char* bad :
       {"B\xfcro", "\x80", "\xc3", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82z"}) {
    EXPECT_EQ(fault_of_file(fmt::format("a: 1\nb: [\"{}\"]\n", bad)), "2: a text that is not UTF-8")
        << bad;
    EXPECT_EQ(fault_of_file(fmt::format("a: 1\n\"{}\": 2\n", bad)), "2: a text that is not UTF-8")
        << bad;
  }
}

TEST_F(ConfigReaderTest, RefusesWhatNobodyAskedFor) {
  const auto finish = [](ConfigReader& r) { r.finish(); };
  EXPECT_EQ(fault(finish), "1: arbiter has an unknown key 'count'");
  for (const char* const key : {"count", "negative", "wide", "number", "word", "flag", "list"}) {
    EXPECT_TRUE(reader().has(key));
  }
  EXPECT_EQ(fault(finish), "8: arbiter has an unknown key 'entries'");
  EXPECT_EQ(fault([](ConfigReader& r) {
              const auto entries = r.items("entries", 1, 2);
              entries[1]->index("queue", 0, 9);
              entries[1]->finish();
            }),
            "10: arbiter.entries[1] has an unknown key 'weight'");
  for (const char* const key : {"entries", "quoted", "hex", "nan", "map", "infinite", "upper",
                                "empty", "letter", "hexadecimal", "nothing", "plus", "signs"}) {
    EXPECT_TRUE(reader().has(key));
  }
  EXPECT_EQ(fault(finish), "accepted");
}

// A policy's own fault stands at its key, or where the map begins when the key is not there.
TEST_F(ConfigReaderTest, PlacesFaultsOfPolicies) {
  EXPECT_STREQ(reader().error("flag", "is odd").what(), "c.yaml:6: is odd");
  EXPECT_STREQ(reader().error("flags", "is missing").what(), "c.yaml:1: is missing");
  EXPECT_STREQ(reader().items("entries", 1, 2)[1]->error("flags", "is missing").what(),
               "c.yaml:10: is missing");
}

}  // namespace
}  // namespace qosarb::test
