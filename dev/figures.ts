// `npm run figures`: prints the size of each part of the project with its bound. Exits with 1 if one is exceeded.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, importCycles, linesOf, looseFiles, smallFiles, sources } from './source-files.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const code = /\.(ts|mjs)$/
const linesIn = (folder: string): number => sum(filesIn(folder, code).map(linesOf))
const harness = ['test/support', 'test/faults', 'test/attack']
const pages = filesIn('docs', /\.md$/)
const pageBytes = sum(pages.map((page) => statSync(join(import.meta.dirname, '..', page)).size))
const productLines = sum(sources.map(linesOf))

export const figures = [
  { name: 'files directly in src/', value: looseFiles.length, max: 8 },
  { name: 'import cycles', value: importCycles().length, max: 0 },
  { name: 'files under 20 lines with one importer', value: smallFiles().length, max: 0 },
  { name: 'lines of test/ for each line of the product', value: linesIn('test') / productLines, max: 1.45 },
  { name: 'lines of test/faults/', value: linesIn('test/faults'), max: 6_500 },
  { name: 'lines of test/support, faults and attack', value: sum(harness.map(linesIn)), max: 15_000 },
  { name: 'KB of docs/**/*.md', value: pageBytes / 1024, max: 204 },
  { name: 'lines of bench/', value: linesIn('bench'), max: 3_800 },
  { name: 'lines of dev/', value: linesIn('dev'), max: 4_000 },
  { name: 'lines of README.md', value: linesOf('README.md'), max: 90 },
]

if (import.meta.filename === process.argv[1]) {
  const rounded = (value: number): number => Math.round(value * 100) / 100
  console.table(figures.map(({ name, value, max }) => ({ figure: name, value: rounded(value), max })))
  if (figures.some(({ value, max }) => value > max)) process.exitCode = 1
}
