import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { description, faultAt } from '../support/described.ts'
import { isListed, notRun, whatHolds } from './how-held.ts'
import { blocks, nameOf } from './pages.ts'

/** What somebody copies or relies on. Drawings, requests as they go over the wire and settings are not. */
const kinds = ['sh', 'js', 'python', 'php', 'go', 'java', 'sql', 'csv', 'json']
const { schemas } = description.components as { schemas: Record<string, object> }
/** Where things are described: every schema with a name, and what the event of an order carries. */
const places = [...Object.keys(schemas).map((name) => [name]), ['OrderNewEvent', 'properties', 'data']]

const fenced = blocks.filter(({ fence }) => kinds.includes(fence))

/** Whether a value is what a schema of the API's description says: an answer by what it holds, an error also without its envelope. */
function isDescribed(shown: { success?: boolean; data?: unknown; statusCode?: number }): boolean {
  if (shown.success === false) return faultAt(shown, 'components', 'schemas', 'Failure') === null
  if (shown.statusCode !== undefined) return isDescribed({ success: false, error: shown } as object)
  const held = shown.success === true ? shown.data : shown
  return places.some((place) => faultAt(held, 'components', 'schemas', ...place) === null)
}

describe('The code on the pages', () => {
  it('was found', () => {
    for (const kind of kinds) expect(fenced.map(({ fence }) => fence)).to.include(kind)
    expect(fenced.length).to.be.at.least(45)
  })

  it('is run, or stands with its reason among what is not (how-held.ts)', () => {
    expect(fenced.filter((block) => whatHolds(block) === undefined).map(nameOf)).to.deep.equal([])
    const listed = fenced.map(isListed)
    expect(notRun.filter((one) => !listed.includes(one))).to.deep.equal([])
  })

  it('is JSON where it says so', () => {
    const wrong = fenced
      .filter(({ fence }) => fence === 'json')
      .filter(({ text }) => {
        try {
          JSON.parse(text)
          return false
        } catch {
          return true
        }
      })
    expect(wrong.map(nameOf)).to.deep.equal([])
  })

  it('is something that the API says or is told, field by field, where it is JSON for merchants', () => {
    const examples = fenced.filter(
      ({ fence, page, text }) =>
        fence === 'json' && page !== 'docs/operators/wallet-provider.md' && !text.includes('"…"'),
    )
    expect(examples.length).to.be.at.least(14)
    expect(examples.filter(({ text }) => !isDescribed(JSON.parse(text))).map(nameOf)).to.deep.equal([])
  })

  it('shows errors as the catalogue has them', () => {
    const errors = fenced
      .filter(({ fence }) => fence === 'json')
      .map(({ text }) => JSON.parse(text))
      .map((shown) => shown.error ?? shown)
      .filter((shown) => 'statusCode' in shown)
    expect(errors.length).to.be.at.least(3)
    for (const { code, statusCode } of errors)
      expect(catalogue[code as ErrorCode][0], code).to.equal(statusCode)
  })

  it('is what a shell can read where it says so', () => {
    const scripts = fenced.filter(({ fence }) => fence === 'sh')
    const wrong = scripts.filter(({ text }) => spawnSync('sh', ['-n'], { input: text }).status !== 0)
    expect(wrong.map(nameOf)).to.deep.equal([])
  })
})
