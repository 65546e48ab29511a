// A method of planning: what it reads and what it reports. Each has its own file; registry.cpp
// lists them.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "qosarb/analyze/analysis.hpp"
#include "qosarb/analyze/rational.hpp"
#include "qosarb/config/yaml_reader.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct PlanReport {
  std::string text;  ///< for people
  nlohmann::ordered_json json;
  std::optional<ArbiterConfig> arbiter;  ///< to_yaml() makes it an `arbiter:` section
  std::string opensm;                    ///< infiniband only: options of OpenSM
};

/// Requirements, read and not yet planned.
class PlanRequest {
 public:
  PlanRequest() = default;
  PlanRequest(const PlanRequest&) = delete;
  PlanRequest& operator=(const PlanRequest&) = delete;
  virtual ~PlanRequest() = default;

  /// Errors: std::invalid_argument with a message for the user if they cannot be planned,
  /// std::overflow_error if shares need fractions of more than 64 bits.
  [[nodiscard]] virtual PlanReport report() const = 0;
};

class PlanMethod {
 public:
  explicit PlanMethod(std::string_view name) : name_(name) {}
  PlanMethod(const PlanMethod&) = delete;
  PlanMethod& operator=(const PlanMethod&) = delete;

  /// What the key `method` says.
  [[nodiscard]] std::string_view name() const { return name_; }
  /// The requirements of the map `plan`. Errors: InputError.
  [[nodiscard]] virtual std::unique_ptr<PlanRequest> read(MapReader& reader) const = 0;

 protected:
  ~PlanMethod() = default;

 private:
  std::string_view name_;
};

/// A method that consists of two functions.
template <typename Requirements>
class PlanMethodOf final : public PlanMethod {
 public:
  using Read = Requirements (*)(MapReader& reader);
  using Report = PlanReport (*)(const Requirements& requirements);

  PlanMethodOf(std::string_view name, Read how_to_read, Report how_to_report)
      : PlanMethod(name), read_(how_to_read), report_(how_to_report) {}

  [[nodiscard]] std::unique_ptr<PlanRequest> read(MapReader& reader) const override {
    return std::make_unique<Request>(read_(reader), report_);
  }

 private:
  class Request final : public PlanRequest {
   public:
    Request(Requirements requirements, Report how_to_report)
        : requirements_(std::move(requirements)), report_(how_to_report) {}
    [[nodiscard]] PlanReport report() const override { return report_(requirements_); }

   private:
    Requirements requirements_;
    Report report_;
  };

  Read read_;
  Report report_;
};

/// All methods, in the order in which messages name them.
std::span<const PlanMethod* const> plan_methods();

// What several methods read and write alike. Errors of the readers: InputError.

/// The key `share`, above 0.
Rational read_share(MapReader& reader);
/// An index within 0..high that is not in `seen`, and is from now on.
int fresh(MapReader& reader, const std::string& key, int high, std::set<int>& seen);
/// "12.34" for a share of 0.1234.
std::string percent(const Rational& share);
/// With five decimals.
std::string fixed5(const Rational& number);
/// A number, and the fraction that it is under a key of its own; both null without one.
void put(nlohmann::ordered_json& object, const std::string& key,
         const std::optional<Rational>& number);
/// The share `analyzed_share` that `check` found; no fraction where it was sampled.
void put_analyzed(nlohmann::ordered_json& object, const MixAnalysis& check,
                  const BackloggedShare& of);
/// A line for each.
std::string warnings_text(const std::vector<std::string>& warnings);

/// Beyond which a share is taken for a mistake.
inline constexpr std::int64_t kMostShare = 1'000'000'000;

}  // namespace qosarb
