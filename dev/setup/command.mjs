import { spawn } from 'node:child_process'
import { constants } from 'node:os'

let command
let stoppedBy

/** From here on a signal stops the command, if it runs already, and then this process. */
export function stopWithSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stoppedBy = signal
      if (!command) process.exit(codeOf(signal))
      // Ctrl-C at a terminal reaches the command without us: twice could mean "at once" to it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) command.kill(signal)
    })
  }
}

/**
 * Runs Node.js with these arguments in our place: same input and output, same end. A command that was stopped has not
 * succeeded, whatever it says (mocha says 0), unless it is one that stays up until it is stopped.
 */
export function runCommand(args, env, { staysUp }) {
  command = spawn(process.execPath, args, { stdio: 'inherit', env })
  command.once('exit', (code, signal) => {
    const stopped = stoppedBy && !staysUp ? codeOf(stoppedBy) : 0
    process.exit((signal ? codeOf(signal) : code) || stopped)
  })
}

const codeOf = (signal) => 128 + constants.signals[signal]
