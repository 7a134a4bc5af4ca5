import { createProgram } from '../../src/admin/program.ts'
import { code, tableOf } from '../markdown.ts'

/** The commands of the command line, by topic. `--help` explains each. */
export const table = (): string =>
  tableOf(
    ['Group', 'Commands'],
    createProgram().commands.map((group) => [
      code(group.name()),
      group.commands.map((command) => code(command.name())).join(', ') || group.description(),
    ]),
  )
