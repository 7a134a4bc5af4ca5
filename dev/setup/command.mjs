import { spawn } from 'node:child_process'
import { constants } from 'node:os'

let command
let stoppedBy

/** Lets a signal stop the command if it runs, and then this process. */
export function stopWithSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stoppedBy = signal
      if (!command) process.exit(codeOf(signal))
      // Ctrl-C at a terminal already reaches the command. A second signal could end it at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) command.kill(signal)
    })
  }
}

/**
 * Runs Node.js with these arguments, with the same input, output and exit code. A stopped command counts as failed even
 * if it exits with 0, as mocha does, unless it is one that runs until it is stopped.
 */
export function runCommand(args, env, { staysUp }) {
  command = spawn(process.execPath, args, { stdio: 'inherit', env })
  command.once('exit', (code, signal) => {
    const stopped = stoppedBy && !staysUp ? codeOf(stoppedBy) : 0
    process.exit((signal ? codeOf(signal) : code) || stopped)
  })
}

const codeOf = (signal) => 128 + constants.signals[signal]
