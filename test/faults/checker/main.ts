import { check } from './check.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('node --import tsx test/faults/checker/main.ts FOLDER')
  process.exit(2)
}
const violations = await check(folder)
for (const { promise, of, says } of violations) console.log(`${promise}  ${of}  ${says}`)
console.log(violations.length === 0 ? 'Every promise held.' : `${violations.length} violations.`)
process.exitCode = violations.length === 0 ? 0 : 1
