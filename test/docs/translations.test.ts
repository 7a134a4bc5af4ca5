import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'chai'
import { marked, type Token, type Tokens } from 'marked'
import { frenchCheckoutTexts } from '../../src/checkout/words/fr.ts'
import { textOf } from './pages.ts'

const folder = 'docs/merchants'
const names = readdirSync(`${folder}/fr`)

function* inside(tokens: Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      for (const cell of [header, ...rows].flat()) yield* inside(cell.tokens)
    } else if ('tokens' in token && token.tokens) yield* inside(token.tokens)
    else if (token.type === 'list') yield* inside((token as Tokens.List).items)
  }
}

/** What a translation has in common with its page: its parts, code, and the pages that it links to. */
function partsOf(file: string): string[] {
  const tokens = marked.lexer(textOf(file))
  const own = [...inside(tokens)].filter((token) => token.type === 'heading') as Tokens.Heading[]
  const idOf = ({ text }: Tokens.Heading) =>
    `#${text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-')}`
  return tokens
    .filter(({ type }) => type !== 'space')
    .map((token) => {
      const details = [...inside([token])].flatMap((each) => {
        if (each.type === 'codespan') return [each.text]
        if (each.type !== 'link') return []
        const section = own.findIndex((heading) => idOf(heading) === each.href)
        return [section < 0 ? basename(each.href) : `section ${section}`]
      })
      if (token.type === 'code') return token.raw
      const rows = token.type === 'table' ? (token as Tokens.Table).rows.length : ''
      return `${token.type} ${token.type === 'heading' ? token.depth : rows} ${details.toSorted().join(' ')}`
    })
}

describe('A translated page', () => {
  for (const name of names)
    it(`has the same parts, code and links as the English one: ${name}`, () => {
      expect(partsOf(`${folder}/fr/${name}`)).to.deep.equal(partsOf(`${folder}/${name}`))
    })

  it('quotes the texts that customers see', () => {
    const shown = JSON.stringify(frenchCheckoutTexts)
    const quoted = [...textOf(`${folder}/fr/take-a-payment.md`).matchAll(/^\| \*([^*]+)\* /gm)]
    expect(quoted).to.have.length(4)
    for (const [, text = ''] of quoted)
      for (const sentence of text.split(/(?<=\.) /)) expect(shown).to.include(sentence.replace(/\.$/, ''))
  })
})
