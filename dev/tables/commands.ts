import { createProgram } from '../../src/admin/program.ts'
import { code, tableOf } from '../markdown.ts'

/** Every command of the command line, with its arguments and options. */
export const table = (): string =>
  tableOf(
    ['Command', 'Does'],
    createProgram().commands.flatMap((group) =>
      group.commands.map((command) => {
        const words = [group.name(), command.name()]
        const given = command.registeredArguments.map((argument) => `<${argument.name()}>`)
        const options = command.options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`))
        return [code([...words, ...given, ...options].join(' ')), command.description()]
      }),
    ),
  )
