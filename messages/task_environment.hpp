#pragma once

// Variables of the environment by which an executor finds its driver and its worker,
// and by which a task's program knows what it is.

namespace stoker::task_environment {

// -- of an executor -----------------------------------------------------------

/// Where its driver listens: "stoker://HOST:PORT".
inline constexpr const char* driver = "STOKER_DRIVER";

/// What the driver, the executors and the workers of the application know, and
/// nobody else: 64 hexadecimal digits. Programs of tasks do not get it.
inline constexpr const char* secret = "STOKER_APPLICATION_SECRET";

/// Who serves what it writes: "HOST:PORT", where it writes that, and the id that the
/// directory has.
inline constexpr const char* output_server = "STOKER_OUTPUT_SERVER";
inline constexpr const char* output_directory = "STOKER_OUTPUT_DIRECTORY";
inline constexpr const char* output_server_id = "STOKER_OUTPUT_SERVER_ID";

// -- of a task's program ------------------------------------------------------

/// The stage's name, the task's number in it, and the attempt's, from 0.
inline constexpr const char* stage = "STOKER_STAGE";
inline constexpr const char* task = "STOKER_TASK";
inline constexpr const char* attempt = "STOKER_ATTEMPT";

/// Of an instance of an application: its number, from 0, and how many there are.
inline constexpr const char* index = "STOKER_INDEX";
inline constexpr const char* count = "STOKER_COUNT";

/// Of a task of a barrier stage: the path of the socket by which it waits for the others.
inline constexpr const char* barrier_socket = "STOKER_BARRIER_SOCKET";

} // namespace stoker::task_environment
