import * as fc from 'fast-check'
import { normaliseName } from '../../src/input/name.ts'

const characters = [
  ...Array.from('a-é=+\t\n\u0085\u00a0\u2028\u3000\0\u0007\u0301\u0338\u00ad\u034f\u200b\u200c\u200d'),
  ...Array.from('\u202e\u2060\ufeff\ufe0f\u2010\u2015\u2212\u1100\u1161\u115f\u2800\u212b💰'),
  'e\u0301',
  '🏴\u{e0067}\u{e007f}',
]
const unit = fc.constantFrom(...characters)
const texts = fc.oneof(fc.string({ unit, maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }))

describe('A name or reference', () => {
  it('does not change when it is normalised twice, and has no invisible characters at its ends', () => {
    for (const kind of ['name', 'reference'] as const)
      fc.assert(
        fc.property(texts, (typed) => {
          const stored = normaliseName(kind, typed)
          if (stored === null) return
          expect(normaliseName(kind, stored)).to.equal(stored)
          expect(stored).to.equal(stored.normalize('NFC'))
          expect(stored).to.match(/^(?![\p{White_Space}\p{Default_Ignorable_Code_Point}])\P{Cc}+$/u)
          expect(stored).to.match(/(?![\p{White_Space}\p{Default_Ignorable_Code_Point}]).$/u)
        }),
        { numRuns: 3000 },
      )
  })

  it('is normalised within milliseconds, whatever a client sends', () => {
    const marks = `a${'\u0301'.repeat(100_000)}${'\u0323'.repeat(100_000)}`
    const blanks = ' '.repeat(200_000)
    for (const typed of [marks, `${blanks}x`, `x${blanks}x`, '\u200b'.repeat(200_000)])
      expect(normaliseName('name', typed)).to.equal(typed)
    expect(normaliseName('reference', `${'\u200b'.repeat(500)}x${' '.repeat(500)}`)).to.equal('x')
  })
})
