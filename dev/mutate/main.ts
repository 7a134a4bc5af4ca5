// `npm run mutate`: Stryker changes the code of the subjects, one place at a time, and runs their unit tests. Fails if
// over a tenth of the changes survive. Those that a comment disables count as survivors.
import { Stryker } from '@stryker-mutator/core'
import { rangesOf, subjects } from './subjects.ts'

const minScore = 0.9
const all = Object.values(subjects)
const tests = new Set(all.map(({ test }) => `test/unit/${test}.test.ts`))
const mocha = 'node node_modules/mocha/bin/mocha.js --bail --require chai/register-expect.js'

const results = await new Stryker({
  mutate: all.flatMap(rangesOf),
  // Stryker's own runner for mocha needs a compiler.
  testRunner: 'command',
  commandRunner: { command: [mocha, ...tests].join(' ') },
  concurrency: 2,
  // Longer than all tests take on a busy machine. Only endless loops take longer.
  timeoutMS: 30_000,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: false },
  tempDirName: '.data/mutate',
  ignorePatterns: ['**', '!src/**', '!schemas/**', '!test/{unit,support}/**', '!package.json'],
}).runMutationTest()

const scoreOf = (mutants: typeof results): number =>
  mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length / mutants.length
for (const [name, { file }] of Object.entries(subjects)) {
  const own = results.filter(({ fileName }) => fileName.endsWith(file))
  console.log(`${(scoreOf(own) * 100).toFixed(1).padStart(5)} % of ${own.length}: ${name}`)
}
console.log(`${(scoreOf(results) * 100).toFixed(1).padStart(5)} % of ${results.length}`)
process.exitCode = scoreOf(results) >= minScore ? 0 : 1
