// Runs one server for an owner process and ends it when the owner is gone, however that happened: the owner holds
// the other end of stdin, and the kernel closes that pipe also after a kill -9. Plain JavaScript, to start quickly.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A server that has not ended by then is frozen or stuck.
const GRACE_MS = 5000

const { binary, args, log, endSignal, temporaryFolder } = JSON.parse(process.argv[2])
let server

const tell = (line) => process.stdout.write(`${line}\n`)
process.stdout.on('error', () => {}) // the owner may be gone before it heard everything
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}) // only the owner's end counts

function start() {
  const output = openSync(log, 'a')
  server = spawn(binary, args, { stdio: ['ignore', output, output] })
  closeSync(output)
  server.once('spawn', () => tell(`started ${server.pid}`))
  server.once('error', (error) => tell(`ended ${error.message}`))
  server.once('exit', (code, signal) => {
    server = undefined
    tell(`ended ${signal ?? code}`)
  })
}

async function end() {
  if (server?.pid !== undefined) {
    const ended = once(server, 'exit')
    server.kill('SIGCONT') // a frozen server would not hear of the end
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
