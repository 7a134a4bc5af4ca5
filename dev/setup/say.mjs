/** Prints a line on stderr, because stdout belongs to the command. */
export function say(line) {
  process.stderr.write(`${clear()}${line}\n`)
}

// A terminal shows the progress in one line. A log gets a line every few seconds.
const LOG_EVERY_MS = 5000
let loggedAt = 0

/** Shows the progress of slow work. */
export function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`${clear()}${text}`)
  else if (Date.now() - loggedAt >= LOG_EVERY_MS) {
    process.stderr.write(`${text}\n`)
    loggedAt = Date.now()
  }
}

const clear = () => (process.stderr.isTTY ? '\r\x1b[K' : '')
