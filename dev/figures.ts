// `npm run figures`: prints how large the parts of the project are, each with its bound. Exit code 1 if one is exceeded.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, importCycles, linesOf, looseFiles, smallFiles, sources } from './source-files.ts'

interface Figure {
  name: string
  value: number
  most: number
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const code = /\.(ts|mjs|json)$/
const linesIn = (folder: string): number => sum(filesIn(folder, code).map(linesOf))
const pages = filesIn('docs', /\.md$/)
const docsBytes = sum(pages.map((page) => statSync(join(import.meta.dirname, '..', page)).size))
const productLines = sum(sources.map(linesOf))

/** Every figure that this project bounds. */
export const figures: readonly Figure[] = [
  { name: 'files directly in src/', value: looseFiles.length, most: 8 },
  { name: 'import cycles', value: importCycles().length, most: 0 },
  { name: 'files under 20 lines with one importer', value: smallFiles().length, most: 0 },
  { name: 'lines of test/ for each line of the product', value: linesIn('test') / productLines, most: 1.5 },
  { name: 'lines of test/faults/', value: linesIn('test/faults'), most: 9_000 },
  { name: 'KB of docs/**/*.md', value: docsBytes / 1_000, most: 160 },
  { name: 'lines of README.md', value: linesOf('README.md'), most: 90 },
]

if (import.meta.filename === process.argv[1]) {
  console.table(
    figures.map(({ name, value, most }) => ({ figure: name, value: Math.round(value * 100) / 100, most })),
  )
  if (figures.some(({ value, most }) => value > most)) process.exitCode = 1
}
