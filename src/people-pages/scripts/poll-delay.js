// Polls each second for 15 minutes, in which nearly everybody pays at a counter, then every 5 s.
function pollDelay(polls) {
  return polls < 900 ? 1000 : 5000;
}
