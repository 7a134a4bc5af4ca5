// Kills its process at step KILL_AT: before or after a write to the journal, or before, during or after a request.
import { StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

const last = Number(process.env.KILL_AT)
let steps = 0

function step() {
  steps += 1
  if (steps === last) process.kill(process.pid, 'SIGKILL')
}

const { run } = StatementSync.prototype
StatementSync.prototype.run = function (...args) {
  step()
  const result = run.apply(this, args)
  step()
  return result
}

const send = globalThis.fetch
globalThis.fetch = async (...args) => {
  step()
  const response = send(...args)
  await pause(50)
  step()
  await response
  step()
  return response
}
