import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { files } from '../evidence/evidence.ts'
import { check } from './check.ts'
import { readDocument } from './folder/extended-json.ts'
import { ordinary } from './story/ordinary.ts'

describe('The checker of faults, of a folder,', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'evidence-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const write = (file: string, lines: unknown[]) =>
    writeFileSync(join(folder, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

  it('reads extended JSON as numbers, instants and text', () => {
    const line =
      '{"_id":{"$oid":"6920c1f4e9b0a7d25c41f803"},"n":{"$numberInt":"5"},"many":{"$numberLong":"9000000000000000"},"at":{"$date":{"$numberLong":"1795246509000"}},"list":[{"x":{"$numberDouble":"1.5"}}],"none":null}'
    expect(readDocument(line)).to.deep.equal({
      _id: '6920c1f4e9b0a7d25c41f803',
      n: 5,
      many: 9_000_000_000_000_000,
      at: 1_795_246_509_000,
      list: [{ x: 1.5 }],
      none: null,
    })
  })

  it('reads all that a round left behind, and tells what is wrong in it', async () => {
    const { setting, calls, arrivals, dump } = ordinary()
    mkdirSync(join(folder, files.dump))
    mkdirSync(join(folder, files.log))
    writeFileSync(join(folder, files.setting), JSON.stringify(setting))
    write(files.calls, calls)
    write(files.arrivals, arrivals)
    for (const [name, documents] of Object.entries(dump)) write(`${files.dump}/${name}.ndjson`, documents)
    expect((await check(folder)).violations).to.deep.equal([])
    write(`${files.log}/web-1.log`, [{ msg: 'http.request', pin: 'it is 918273' }])
    expect((await check(folder)).violations).to.have.lengthOf(1)
    write(`${files.dump}/intents.ndjson`, dump.intents.slice(1))
    expect(new Set((await check(folder)).violations.map(({ promise }) => promise))).to.include(
      'create.exists',
    )
  })
})
