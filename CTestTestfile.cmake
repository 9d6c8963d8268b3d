subdirs(build)
