import type { Command } from 'commander'
import { createProgram } from '../../src/admin/program.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { description } from '../support/check-responses.ts'
import { operationOf } from './curl.ts'
import { pages, textOf } from './pages.ts'

const commandNamed = (program: Command, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    program,
  )

const optionsOf = (command: Command): string[] =>
  command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []))

const partsOf = (line: string) => ({
  line,
  words: /^[a-z]+(?: [a-z][a-z-]*)?/.exec(line)?.[0].split(' ') ?? [],
  options: line.match(/--[a-z][\w-]*/g) ?? [],
})

const named = (pattern: RegExp): { page: string; name: string }[] =>
  pages.flatMap((page) => [...textOf(page).matchAll(pattern)].map(([, name = '']) => ({ page, name })))

describe('The documentation', () => {
  it('shows the version from package.json in CHANGELOG.md, the API description and the commands', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    expect(/^## (\S+)/m.exec(textOf('CHANGELOG.md'))?.[1]).to.equal(version)
    expect(description.info).to.include({ version })
    const { version: released } = JSON.parse(textOf('clients/version.json')) as { version: string }
    const packages = named(/\/docs\/packages\/[a-z_-]+-(\d[\w.]*?)[.-](?:tgz|py3|php)/g)
    expect(packages.length).to.be.at.least(4)
    expect(packages.filter(({ name }) => name !== released)).to.deep.equal([])
  })

  it('uses `npm run` only with scripts from package.json', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const wanted = named(/npm run (?:--silent )?([a-z][\w:-]*)/g)
    expect(wanted.length).to.be.at.least(20)
    expect(wanted.filter(({ name }) => !(name in scripts))).to.deep.equal([])
  })

  it('mentions only existing commands and options', () => {
    const program = createProgram()
    const isCommand = (line: string): boolean => {
      const { words, options } = partsOf(line)
      const command = commandNamed(program, words)
      if (command === undefined || command.commands.length > 0) return false
      const known = [...optionsOf(command), ...optionsOf(program), '--help']
      return options.every((option) => known.includes(option))
    }
    const lines = named(/(?:npm run (?:--silent )?admin --|admin\/main\.js|`admin) ([a-z][^`\n#|]*)/g)
    expect(lines.length).to.be.at.least(8)
    expect(lines.filter(({ name }) => !isCommand(name))).to.deep.equal([])
  })

  it('shows a valid example in the help text of each command', () => {
    const program = createProgram()
    for (const group of program.commands)
      for (const command of group.commands.length === 0 ? [group] : group.commands) {
        let help = ''
        command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp()
        const name = command === group ? group.name() : `${group.name()} ${command.name()}`
        const [, example = ''] =
          new RegExp(`^Examples?:\n  admin ${name}\\b(.*)$`, 'm').exec(help) ?? expect.fail(name)
        const options = example.match(/--[a-z][\w-]*/g) ?? []
        expect([...optionsOf(command), ...optionsOf(program)], name).to.include.members(options)
      }
  })

  it('mentions only existing operations and paths of the API', () => {
    const operations = named(/\b((?:GET|POST|PUT|PATCH|DELETE) (?:\/api\/v1)?\/dev\/[^\s`?"]*)/g)
    expect(operations.length).to.be.at.least(30)
    const unknown = operations.filter(({ name }) => operationOf(name.replace('/api/v1', '')) === undefined)
    expect(unknown).to.deep.equal([])
    const paths = named(/\/api\/v1(\/[^\s`?"'…)\]]+)/g).filter(({ name }) => name !== '/openapi.json')
    const isPath = (path: string) =>
      apiRoutes.some(({ method }) => operationOf(`${method.toUpperCase()} ${path}`) !== undefined)
    expect(paths.filter(({ name }) => !isPath(name))).to.deep.equal([])
  })
})
