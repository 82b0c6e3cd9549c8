# A peer that takes 7 µs for each launch.
echo ready a peer 1.0
while read -r _; do echo 7000; done
