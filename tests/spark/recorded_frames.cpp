#include "tests/spark/recorded_frames.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "spark/rpc_message.hpp"

namespace stoker::spark::test {

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    throw std::runtime_error{"no such file: " + path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<RecordedFrame> read_all() {
  const std::string folder = STOKER_TEST_DATA "/frames/";
  std::vector<RecordedFrame> result;
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    std::ifstream list{folder + version + ".jsonl"};
    for (std::string line; std::getline(list, line);) {
      RecordedFrame frame;
      frame.version = version;
      frame.expected = boost::json::parse(line).as_object();
      frame.file
          = boost::json::value_to<std::string>(frame.expected.at("file"));
      frame.bytes = contents_of(folder + version + '/' + frame.file);
      result.push_back(std::move(frame));
    }
  }
  return result;
}

} // namespace

const std::vector<RecordedFrame>& recorded_frames() {
  static const auto result = read_all();
  return result;
}

const RecordedFrame& recorded(const std::string& version,
                              const std::string& class_end) {
  for (const auto& x : recorded_frames())
    if (x.version == version
        && boost::json::value_to<std::string>(x.expected.at("class"))
               .ends_with(class_end))
      return x;
  throw std::runtime_error{"no frame of " + class_end};
}

Frame frame_of(const RecordedFrame& from) {
  std::string_view left = from.bytes;
  auto frame = take_frame(left);
  if (!frame)
    throw std::runtime_error{frame.error().message};
  if (!*frame || !left.empty())
    throw std::runtime_error{"not one frame: " + from.file};
  return **frame;
}

std::string_view content_of(const RecordedFrame& from) {
  auto frame = frame_of(from);
  if (frame.type == FrameType::rpc_response)
    return frame.body;
  auto message = read_rpc_message(frame.body);
  if (!message)
    throw std::runtime_error{message.error().message};
  return message->content;
}

} // namespace stoker::spark::test
