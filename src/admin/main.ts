import { createProgram } from './program.ts'

// The check comes before the program parses the arguments, because an error message could repeat the key.
if (process.argv.some((argument) => /[sp]k_(test|live)_[0-9A-Za-z]{16}/.test(argument))) {
  process.stderr.write(
    'An API key is among the arguments, so it is now in the history of this shell, and other users of this machine ' +
      'could see it. Rotate it: key rotate ID. To find the id, pass the key on standard input: admin key find < file\n',
  )
  process.exitCode = 1
} else await createProgram().parseAsync()
