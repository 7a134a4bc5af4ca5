// Runs commands of the operator's command line for its parent, one at a time. Each import under a new name runs the
// program again, while the modules that it imports are loaded only once.
import { pathToFileURL } from 'node:url'

const [node, , program] = process.argv
let output = ''
let count = 0
const keep = (text) => {
  output += text
  return true
}
process.stdout.write = keep
process.stderr.write = keep
process.on('disconnect', () => process.exit())
process.on('message', (args) => void run(args))

async function run(args) {
  output = ''
  process.exitCode = 0
  process.argv = [node, program, '--json', ...args]
  count += 1
  await import(`${pathToFileURL(program).href}?${count}`)
  // Each run of the program adds its own listeners, which a process of its own would have only once.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  process.send({ code: process.exitCode, output })
}
