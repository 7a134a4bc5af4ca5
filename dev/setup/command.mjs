import { spawn } from 'node:child_process'
import { constants } from 'node:os'

let command

/** From here on a signal stops the command, if it runs already, and then this process. */
export function stopWithSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (!command) process.exit(128 + constants.signals[signal])
      // Ctrl-C at a terminal reaches the command without us: twice could mean "at once" to it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) command.kill(signal)
    })
  }
}

/** Runs Node.js with these arguments in our place: same input and output, same end. */
export function runCommand(args, env) {
  command = spawn(process.execPath, args, { stdio: 'inherit', env })
  command.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}
