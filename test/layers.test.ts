import { filesIn, importsOf, read, sources } from '../dev/source-files.ts'

/** Bottom up. If two folders need the same code, move that code further down. */
const layers = {
  'data, which imports nothing': 'schemas',
  platform: 'platform config tracing mongo queues limits input lists security metrics',
  'what every domain does': 'work idempotency audit chains',
  domains:
    'wallets outbox accounts staff businesses people ledger intents store webhooks events replays exports reconciliation retention verification payouts relay monitoring migrations',
  'the dependencies of a process': 'context',
  interfaces:
    'http checkout reference staff-acts account-pages staff-pages people-pages till portal admin workers',
  'entry points': 'src',
}

const order = Object.values(layers).flatMap((folders) => folders.split(' '))

const folderOf = (file: string): string => {
  const [top = '', next = ''] = file.split('/')
  return top === 'src' && !next.endsWith('.ts') ? next : top
}

const isAbove = (folder: string, other: string): boolean => order.indexOf(folder) > order.indexOf(other)

const sourceOf = (text: string, name: string): string | undefined => {
  const found = new RegExp(String.raw`\b${name}\b[^}]*\} from '\.\./([^']+)'`).exec(text)?.[1]
  return found && `src/${found}`
}

const owners = new Map<string, string>()
const own = (text: string, name: string, declared: string): void => {
  const file = sourceOf(text, declared)
  if (file !== undefined) owners.set(name, folderOf(file))
}
const [deps, models, batchers] = ['open-deps', 'models', 'batchers'].map((name) =>
  read(`src/context/${name}.ts`),
) as [string, string, string]
const named = /interface Deps \{([^}]*)\}/.exec(deps)?.[1] ?? ''
for (const [, name = '', type = ''] of named.matchAll(/^ {4}(\w+): (?:Pick<)?(\w+)/gm)) own(deps, name, type)
for (const [, name = '', declared = ''] of models.matchAll(/^ {2}(\w+): (\w+),$/gm))
  own(models, name, declared)
for (const [, open = ''] of batchers.matchAll(/\.\.\.(\w+)\(/g)) {
  const file = sourceOf(batchers, open) ?? ''
  for (const [, name = ''] of read(file).matchAll(/^ {2,4}(\w+): (?:create|inserts)/gm))
    own(batchers, name, open)
}

const usedIn = (text: string): string[] => [
  ...[...text.replaceAll(/^ \*.*$/gm, '').matchAll(/Pick<\s*(?:Deps|Models|Batchers),([^>]*)>/g)].flatMap(
    ([, names = '']) => [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
  ),
  ...[...text.matchAll(/\b(?:deps|batchers)\.(\w+)/g)].map(([, name = '']) => name),
]

describe('A folder in src', () => {
  it('belongs to a layer and has at most 6 000 lines', () => {
    const folders = new Set(sources.map(folderOf))
    expect(order).to.have.members([...folders])
    expect(folders.size).to.be.at.least(18)
    const linesOf = (folder: string) =>
      sources.filter((file) => folderOf(file) === folder).flatMap((file) => read(file).trimEnd().split('\n'))
        .length
    expect([...folders].filter((folder) => linesOf(folder) > 6_000)).to.deep.equal([])
  })

  it('imports only from folders below it, types included', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => sources.includes(imported) && isAbove(folderOf(imported), folderOf(file)))
        .map((imported) => `${file} → ${imported}: ${folderOf(imported)} is above ${folderOf(file)}`),
    )
    expect(wrong.join('\n')).to.equal('')
  })

  it('uses only dependencies that it or a folder below it declares', () => {
    expect(owners.get('Intent')).to.equal('intents')
    expect(owners.get('updateIntent')).to.equal('intents')
    const wrong = sources.flatMap((file) =>
      usedIn(read(file))
        .filter((name) => owners.has(name) && isAbove(owners.get(name) ?? '', folderOf(file)))
        .map((name) => `${file} uses ${name}: ${owners.get(name)} is above ${folderOf(file)}`),
    )
    expect(wrong.join('\n')).to.equal('')
    expect(filesIn('src/platform')).to.include('src/platform/deps.ts')
  })
})
