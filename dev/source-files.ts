import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

/** `path` is relative to the project. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export const filesIn = (folder: string, wanted = /\.(ts|mjs)$/): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()

export const sources = ['src', 'workers', 'schemas'].flatMap((folder) => filesIn(folder))

export function importsOf(file: string): string[] {
  const names = [...read(file).matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? '')
  return names.map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name))
}

export const looseFiles = sources.filter((file) => /^src\/[^/]+$/.test(file))

export function importCycles(): string[] {
  const finished = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (finished.has(file) || path.includes(file)) return
    for (const name of importsOf(file)) if (sources.includes(name)) visit(name, [...path, file])
    finished.add(file)
  }
  for (const file of sources) visit(file, [])
  return cycles
}

/** Each queue has a file in workers/, and each resource's schemas have one in schemas/. */
const mayBeSmall = /^(workers\/[^/]+|schemas\/.+)\.ts$/

/** Files under 20 lines with a single importer, to which their content belongs. */
export function smallFiles(): string[] {
  const importers = new Map<string, number>()
  const others = ['cli', 'test', 'bench', 'dev', 'ops'].flatMap((folder) => filesIn(folder))
  for (const file of [...sources, ...others])
    for (const name of new Set(importsOf(file))) importers.set(name, (importers.get(name) ?? 0) + 1)
  return sources.filter((file) => linesOf(file) < 20 && importers.get(file) === 1 && !mayBeSmall.test(file))
}

export const linesOf = (file: string): number => read(file).split('\n').length - 1
