import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { npm } from './run.mjs'

let running
let stoppedBy

/** A signal stops the running step, if there is one, and then this process. */
export function stopWithSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stoppedBy = signal
      if (!running) process.exit(codeOf(signal))
      // Ctrl-C at a terminal already reaches the step. A second signal could end it at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) running.kill(signal)
    })
  }
}

/**
 * Runs the steps one after the other until one fails, and exits with its code. A step is a function, or the arguments
 * of Node.js or of npm. The last step gets `args`. With `failsIfStopped`, a stopped command counts as failed even if it
 * exits with 0, as mocha does.
 */
export async function runSteps(steps, args, { node, failsIfStopped }) {
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    if (typeof step === 'function') step()
    else {
      const stopped = () => (stoppedBy && (failsIfStopped || !isLast) ? codeOf(stoppedBy) : 0)
      const code = (await run(isLast ? [...step, ...args] : step, node)) || stopped()
      if (code !== 0 || isLast) process.exit(code)
    }
  }
}

async function run([first, ...rest], node) {
  const [program, ...args] = first === 'npm' ? npm(node, ...rest) : [node, first, ...rest]
  // Without it, stripping types and compiling would cost each process of the service a second.
  const env = { NODE_COMPILE_CACHE: resolve('.data/compile-cache'), ...process.env }
  running = spawn(program, args, { stdio: 'inherit', env })
  const [code, signal] = await once(running, 'exit')
  running = undefined
  return signal ? codeOf(signal) : code
}

const codeOf = (signal) => 128 + constants.signals[signal]
