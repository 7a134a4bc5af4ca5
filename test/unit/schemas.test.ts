import { readdirSync } from 'node:fs'
import { Ajv } from 'ajv'

const folder = new URL('../../schemas/', import.meta.url)
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const files = names.filter((name) => name.endsWith('.ts'))

it('uses only valid JSON Schema, which the service does not check at startup', async () => {
  const ajv = new Ajv({ logger: false })
  let checked = 0
  for (const file of files)
    for (const [name, value] of Object.entries<unknown>(await import(new URL(file, folder).href))) {
      if (typeof value !== 'object' || value === null || !('type' in value)) continue
      expect(ajv.validateSchema(value), `${file} ${name}: ${ajv.errorsText()}`).to.equal(true)
      checked += 1
    }
  expect(checked).to.be.above(20)
})
