import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { successResponse } from '../../src/http/responses/envelope.ts'
import { buildCreateResponse } from '../../src/intents/present.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { cases, fixed } from '../vectors/first-responses/cases.ts'

const folder = join(import.meta.dirname, '../vectors/first-responses/format-1')
const changed =
  'Format 1 of the first responses has changed: a retry of a create from before the change would get other bytes. ' +
  'Leave the function and the files of format 1 as they are, and add format 2'

describe('Format 1 of the response to a create request', () => {
  for (const { name, data } of cases)
    it(`produces exactly the bytes of ${name}.body`, () => {
      const expected = readFileSync(join(folder, `${name}.body`), 'utf8')
      expect(successResponse(201, data).body.toString(), changed).to.equal(expected)
    })

  it('has a test case for every file in the vectors folder', () => {
    const names = cases.map(({ name }) => `${name}.body`)
    expect(readdirSync(folder).toSorted()).to.deep.equal(names.toSorted())
  })

  it('is the only format so far, so any other number causes SERVICE_UNAVAILABLE', () => {
    const compute = () => buildCreateResponse({ ...fixed, responseFormat: 2 })
    expect(compute).to.throw(Refusal).with.property('code', 'SERVICE_UNAVAILABLE')
  })
})
