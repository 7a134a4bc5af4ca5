// Polls every 3 s for 2 minutes, every 10 s for 8 minutes, then every 30 s.
function pollDelay(polls) {
  return polls < 40 ? 3000 : polls < 90 ? 10000 : 30000;
}
