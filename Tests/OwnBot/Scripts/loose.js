// A script in another language that lies beside, which the build has nothing to say about.
