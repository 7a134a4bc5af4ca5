/** Everything that setup tells a person goes to stderr: stdout belongs to the command. */
export function say(line) {
  process.stderr.write(`${clear()}${line}\n`)
}

// Rewritten in place on a terminal; elsewhere (a log of CI) one line now and then is enough.
const LOG_EVERY_MS = 5000
let loggedAt = 0

/** How far something slow has come. */
export function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`${clear()}${text}`)
  else if (Date.now() - loggedAt >= LOG_EVERY_MS) {
    process.stderr.write(`${text}\n`)
    loggedAt = Date.now()
  }
}

const clear = () => (process.stderr.isTTY ? '\r\x1b[K' : '')
