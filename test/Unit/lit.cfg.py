# Runs the GoogleTest programs, so that one run of lit counts all tests.
import os

import lit.formats

config.name = "attnc-unit"
config.test_exec_root = os.path.join(config.attnc_obj_root, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
if config.sanitize:
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"
