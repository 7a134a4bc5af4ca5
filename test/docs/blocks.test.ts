import { spawnSync } from 'node:child_process'
import { type ErrorCode, errorCatalogue } from '../../src/platform/errors.ts'
import { description, schemaErrors } from '../support/check-responses.ts'
import { isListed, notRun, testOf } from './how-tested.ts'
import { type Block, blocks, nameOf } from './pages.ts'

const kinds = ['sh', 'js', 'ts', 'sql', 'csv', 'json']
const { schemas } = description.components as { schemas: Record<string, { required?: string[] }> }
const paths = [...Object.keys(schemas).map((name) => [name]), ['OrderNewEvent', 'properties', 'data']]
const fenced = blocks.filter(({ fence }) => kinds.includes(fence))
const json = fenced.filter(({ fence }) => fence === 'json')

function isDescribed(shown: { success?: boolean; data?: unknown; statusCode?: number }): boolean {
  if (shown.success === false) return schemaErrors(shown, 'components', 'schemas', 'Failure') === null
  if (shown.statusCode !== undefined) return isDescribed({ success: false, error: shown } as object)
  const value = shown.success === true ? shown.data : shown
  // Compiling is slow, and a schema whose required fields are missing can't match anyway.
  const mayMatch = ([name = '']: string[]) =>
    (schemas[name]?.required ?? []).every((field) => field in Object(value))
  return paths.some(
    (path) => mayMatch(path) && schemaErrors(value, 'components', 'schemas', ...path) === null,
  )
}

describe('A code block in the documentation', () => {
  it('is either run by a test or listed in how-tested.ts with a reason', () => {
    expect(fenced.filter((block) => testOf(block) === undefined).map(nameOf)).to.deep.equal([])
    const listed = fenced.map(isListed)
    expect(Object.keys(notRun).filter((key) => !listed.includes(key))).to.deep.equal([])
  })

  it("is valid JSON if it's marked as JSON", () => {
    for (const block of json) expect(() => JSON.parse(block.text), nameOf(block)).to.not.throw()
  })

  it('matches the OpenAPI document if it shows JSON to merchants', () => {
    const isForMerchants = ({ page }: Block) => page !== 'docs/operators/wallet-provider.md'
    const examples = json.filter((block) => isForMerchants(block) && !block.text.includes('"…"'))
    expect(examples.length).to.be.at.least(5)
    expect(examples.filter(({ text }) => !isDescribed(JSON.parse(text))).map(nameOf)).to.deep.equal([])
  })

  it('shows each error code with its HTTP status', () => {
    const errors = json
      .map(({ text }) => JSON.parse(text))
      .map((shown) => shown.error ?? shown)
      .filter((shown) => 'statusCode' in shown)
    expect(errors.length).to.be.at.least(1)
    for (const { code, statusCode } of errors)
      expect(errorCatalogue[code as ErrorCode][0], code).to.equal(statusCode)
  })

  it("is a valid shell script if it's marked as shell", () => {
    const scripts = fenced.filter(({ fence }) => fence === 'sh')
    const check = 'for script; do printf %s "$script" | sh -n 2> /dev/null; echo $?; done'
    const { stdout } = spawnSync('sh', ['-c', check, 'sh', ...scripts.map(({ text }) => text)], {
      encoding: 'utf8',
    })
    expect(scripts.filter((_, at) => stdout.split('\n')[at] !== '0').map(nameOf)).to.deep.equal([])
  })
})
