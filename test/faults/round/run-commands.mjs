// Runs commands of the operator's command line for its parent, one after the other. Its program runs anew with each import
// under another name; what it imports is loaded once.
import { pathToFileURL } from 'node:url'

const [node, , program] = process.argv
let said = ''
let count = 0
const keep = (text) => {
  said += text
  return true
}
process.stdout.write = keep
process.stderr.write = keep
process.on('disconnect', () => process.exit())
process.on('message', (args) => void run(args))

async function run(args) {
  said = ''
  process.exitCode = 0
  process.argv = [node, program, '--json', ...args]
  count += 1
  await import(`${pathToFileURL(program).href}?${count}`)
  process.send({ code: process.exitCode, said })
}
