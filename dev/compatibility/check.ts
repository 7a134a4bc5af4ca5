// `npm run api:check`: fails if the API has changed since its description was accepted. `npm run lint` includes it.
// With --accept, as in `npm run api:accept -- "a sentence for CHANGELOG.md"`, it accepts the current description.
import { join } from 'node:path'
import { accept, problemsIn } from './accepted.ts'

const root = join(import.meta.dirname, '../..')
const [option, note = ''] = process.argv.slice(2)
const problems = option === '--accept' ? accept(root, note) : problemsIn(root)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
