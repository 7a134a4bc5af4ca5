import { requireNode24 } from '../platform/require-node.ts'

requireNode24()

/** Exit code if the program that reads the output has ended. */
const pipeClosed = 141

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(pipeClosed)
  process.stderr.write(`The output could not be written: ${error.message}\n`)
  process.exit(1)
})
// A broken progress bar must not stop a command halfway.
process.stderr.on('error', () => undefined)

// Commander's error message could repeat the key.
if (process.argv.some((argument) => /[sp]k_(test|live)_[0-9A-Za-z]{16}/.test(argument))) {
  process.stderr.write(
    'An API key is among the arguments, so it is now in the history of this shell, and other users of this machine ' +
      'could see it. Rotate it: key rotate ID. To find the id, pass the key on standard input: admin key find < file\n',
  )
  process.exitCode = 1
} else {
  const { createProgram } = await import('./program.ts')
  await createProgram().parseAsync()
}
