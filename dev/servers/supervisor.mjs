// Runs one server for an owner process, and ends it when the owner has ended. The owner holds the other end of stdin,
// which the kernel closes even after a kill -9. Plain JavaScript starts quickly.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A server that hasn't ended by then is stuck.
const GRACE_MS = 5000

const { binary, args, log, endSignal, temporaryFolder } = JSON.parse(process.argv[2])
let server

const report = (line) => process.stdout.write(`${line}\n`)
// The owner may have ended before reading everything.
process.stdout.on('error', () => {})
// Only the owner's end ends the supervisor.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

function start() {
  const output = openSync(log, 'a')
  server = spawn(binary, args, { stdio: ['ignore', output, output] })
  closeSync(output)
  server.once('spawn', () => report(`started ${server.pid}`))
  server.once('error', (error) => report(`ended ${error.message}`))
  server.once('exit', (code, signal) => {
    server = undefined
    report(`ended ${signal ?? code}`)
  })
}

async function end() {
  if (server?.pid !== undefined) {
    const ended = once(server, 'exit')
    // A frozen server receives no other signal.
    server.kill('SIGCONT')
    server.kill(endSignal)
    const timer = setTimeout(() => server?.kill('SIGKILL'), GRACE_MS)
    await ended
    clearTimeout(timer)
  }
  if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true })
  process.exit()
}

const orders = createInterface({ input: process.stdin })
orders.on('line', start)
orders.on('close', () => void end())
