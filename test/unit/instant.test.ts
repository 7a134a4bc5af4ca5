import { readInstant } from '../../src/input/instant.ts'

const read = (text: string, edge: 'start' | 'end' = 'start') => readInstant(text, edge)?.toISOString() ?? null

describe('A parsed time', () => {
  it('is the first or last millisecond of a date in UTC if the text contains no time', () => {
    expect(read('2026-02-28', 'start')).to.equal('2026-02-28T00:00:00.000Z')
    expect(read('2026-02-28', 'end')).to.equal('2026-02-28T23:59:59.999Z')
    expect(read('2024-02-29')).to.equal('2024-02-29T00:00:00.000Z')
  })

  it('is exactly the given date and time, in UTC if the text contains no offset', () => {
    const same = '2026-01-02T03:04:05.000Z'
    const utc = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z']
    const offsets = ['2026-01-02T05:04:05+02:00', '2026-01-02T05:04:05+0200', '2026-01-01T21:34:05-05:30']
    for (const text of [...utc, ...offsets])
      for (const edge of ['start', 'end'] as const) expect(read(text, edge), text).to.equal(same)
    expect(read('2026-01-02T03:04')).to.equal('2026-01-02T03:04:00.000Z')
    expect(read('2026-01-02T03:04Z')).to.equal('2026-01-02T03:04:00.000Z')
    expect(read('2026-01-02T03:04:05.678901Z')).to.equal('2026-01-02T03:04:05.678Z')
  })

  it('is null if the text is in any other format', () => {
    const wrong = {
      'no whole date': ['', 'now', '2026', '2026-01', '2026-1-2', '20260102', '2026-W01', '1767225600000'],
      'no such day': ['2026-02-29', '2026-13-01', '2026-00-01', '2026-01-00', '2026-01-32'],
      'no such time': ['2026-01-02T24:00:00Z', '2026-01-02T03:60Z', '2026-01-02T03:04:60Z'],
      'no whole time': ['2026-01-02T03Z', '2026-01-02T03:04:05+25:00', '2026-01-02T03:04:05 UTC'],
      'other characters': ['2026-01-02 03:04:05Z', ' 2026-01-02', '2026-01-02\n', '+012026-01-02'],
    }
    for (const text of Object.values(wrong).flat()) expect(read(text), JSON.stringify(text)).to.equal(null)
  })
})
