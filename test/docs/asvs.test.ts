import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

const root = join(import.meta.dirname, '../..')
const file = 'docs/maintainers/asvs-5.0-level-2.csv'
const rows: Record<string, string>[] = parse(readFileSync(join(root, file)), { columns: true })

/** OWASP ASVS 5.0.0: each section with its number of requirements of levels 1 and 2, which come first. */
const sections =
  '1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 ' +
  '5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 ' +
  '8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 ' +
  '11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 ' +
  '16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2'

describe(file, () => {
  it('lists every requirement of levels 1 and 2 exactly once, in order', () => {
    const ids = sections.split(' ').flatMap((each) => {
      const [section = '', count = ''] = each.split(':')
      return Array.from({ length: Number(count) }, (_, at) => `${section}.${at + 1}`)
    })
    expect(rows.map(({ id }) => id)).to.deep.equal(ids)
    const counts = ['1', '2'].map((level) => rows.filter((row) => row.level === level).length)
    expect(counts).to.deep.equal([70, 183])
  })

  it('gives each requirement a verdict with evidence in existing files or a reason', () => {
    const verdicts = ['met', 'operator', 'not applicable', 'not met']
    for (const { id, verdict = '', evidence = '', note = '' } of rows) {
      expect(verdicts, id).to.include(verdict)
      const files = evidence.split(' ').filter(Boolean)
      const missing = files.filter((path) => !existsSync(join(root, path)))
      expect(missing, id).to.deep.equal([])
      if (verdict === 'met' || verdict === 'operator') expect(files, id).not.to.have.length(0)
      else expect(note, id).not.to.equal('')
    }
  })
})
