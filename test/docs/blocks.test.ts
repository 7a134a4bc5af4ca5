import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { description, schemaErrors } from '../support/check-responses.ts'
import { isListed, notRun, whatHolds } from './how-held.ts'
import { blocks, nameOf } from './pages.ts'

/** The kinds of blocks that a reader copies or relies on. */
const kinds = ['sh', 'js', 'python', 'php', 'sql', 'csv', 'json']
const { schemas } = description.components as { schemas: Record<string, object> }
/** Where the OpenAPI document has schemas: each named one, and the data of an order's event. */
const places = [...Object.keys(schemas).map((name) => [name]), ['OrderNewEvent', 'properties', 'data']]

const fenced = blocks.filter(({ fence }) => kinds.includes(fence))

/** Whether a value matches a schema of the OpenAPI document: a response by its data, an error also without its envelope. */
function isDescribed(shown: { success?: boolean; data?: unknown; statusCode?: number }): boolean {
  if (shown.success === false) return schemaErrors(shown, 'components', 'schemas', 'Failure') === null
  if (shown.statusCode !== undefined) return isDescribed({ success: false, error: shown } as object)
  const held = shown.success === true ? shown.data : shown
  return places.some((place) => schemaErrors(held, 'components', 'schemas', ...place) === null)
}

describe('The code on the pages', () => {
  it('exists', () => {
    for (const kind of kinds) expect(fenced.map(({ fence }) => fence)).to.include(kind)
    expect(fenced.length).to.be.at.least(40)
  })

  it('is run, or listed in how-held.ts with the reason why not', () => {
    expect(fenced.filter((block) => whatHolds(block) === undefined).map(nameOf)).to.deep.equal([])
    const listed = fenced.map(isListed)
    expect(notRun.filter((one) => !listed.includes(one))).to.deep.equal([])
  })

  it('is valid JSON where it says so', () => {
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

  it('matches the OpenAPI document, where it is JSON for merchants', () => {
    const examples = fenced.filter(
      ({ fence, page, text }) =>
        fence === 'json' && page !== 'docs/operators/wallet-provider.md' && !text.includes('"…"'),
    )
    expect(examples.length).to.be.at.least(5)
    expect(examples.filter(({ text }) => !isDescribed(JSON.parse(text))).map(nameOf)).to.deep.equal([])
  })

  it('shows errors with the status of the catalogue', () => {
    const errors = fenced
      .filter(({ fence }) => fence === 'json')
      .map(({ text }) => JSON.parse(text))
      .map((shown) => shown.error ?? shown)
      .filter((shown) => 'statusCode' in shown)
    expect(errors.length).to.be.at.least(1)
    for (const { code, statusCode } of errors)
      expect(catalogue[code as ErrorCode][0], code).to.equal(statusCode)
  })

  it('is valid shell where it says so', () => {
    const scripts = fenced.filter(({ fence }) => fence === 'sh')
    const wrong = scripts.filter(({ text }) => spawnSync('sh', ['-n'], { input: text }).status !== 0)
    expect(wrong.map(nameOf)).to.deep.equal([])
  })
})
