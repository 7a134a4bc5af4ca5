import { Ajv2020 } from 'ajv/dist/2020.js'
import { describedAs } from '../../dev/openapi-document.ts'
import { describeFormats } from '../../src/http/openapi/formats.ts'
import { createValidate } from '../../src/input/validate.ts'

const validate = createValidate({ ...describedAs, webhookAllowedHosts: new Set() })
const described = describeFormats(describedAs)
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function isAccepted(format: string, value: string): boolean {
  const keyword = format === 'name' || format === 'reference' ? 'normalise' : 'format'
  const schema = { type: 'object', properties: { value: { type: 'string', [keyword]: format } } }
  try {
    validate(schema, { value })
    return true
  } catch {
    return false
  }
}

const long = (name: string, length: number) => `${name.repeat(200).slice(0, length)}.example`

const samples: Record<string, string[][]> = {
  'storable-text': [['', ' ', 'a', 'a\0b', '\u202e', 'é😍']],
  name: [
    ['', ' ', '\t\n', 'a', ' a ', ' \0', 'a\0', 'a\nb', '\u001b', '\ufeff', 'a\u0085', 'a\u0007b', '\u3000a'],
  ],
  reference: [
    ['', ' ', '\t\n', 'a', ' a ', ' \0', 'a\0', '\u00a0', '\u007f', 'a\u009fb', '\ufeffa', 'CMD-é 7'],
  ],
  'written-text': [['', ' ', '\t\n', 'a', ' a ', ' \0', 'a\0', '\u00a0', '\ufeff', '\u3000a']],
  'written-or-empty-text': [['', ' ', '\t\n', 'a', ' a ', 'a\0']],
  'https-url': [
    ['https://a.example', 'https://a.example/b?c#d', 'https://a.example/é', 'http://a.example', ''],
    ['http://localhost', 'https://', 'https:///a', 'https://user@a.example', 'https://a b', 'a.example'],
    ['https://a.example/b c', 'https://a.example\\b', 'ftp://a.example'],
  ],
  'https-or-localhost-url': [
    ['https://a.example', 'http://localhost', 'http://localhost:3000', 'http://localhost:3000/a?b', ''],
    ['http://localhost/', 'http://localhosts', 'http://localhost.example', 'http://a.example'],
  ],
  'webhook-url': [
    ['https://a.example', 'https://a.b.example/c?d#e', 'https://a_b.example', 'https://a.example.', ''],
    ['https://a.example:443', 'https://a.example:1023', 'https://a.example:1024', 'https://a.example:80'],
    ['https://a.example:65535/a', 'http://a.example', 'https://example', 'https://a.local'],
    ['https://a.LOCAL/', 'https://a.internal:8443/', 'https://a.locals', 'https://1.2.3.4'],
    ['https://[::1]/', 'https://-a.example', 'https://a-.example', 'https://a..example'],
    ['https://a.xn--p1ai', 'https://user@a.example', `https://${long('abcdefghij.', 245)}`],
    [`https://${long('abcdefghij.', 246)}`, `https://${long('a', 63)}`, `https://${long('a', 64)}`],
  ],
  'header-name': [
    ['X-Api-Key', 'authorization', 'Cookie', 'a', "!#$%&'*+.^_`|~", 'X-Forwarded', 'Accepts', 'Hosts', 'T'],
    ['Content', 'Webhook', 'X-ServiceKey', '__proto__', '', ' ', 'X Y', 'X:', 'é', 'X\n', 'a/b', '(x)'],
    ['Host', 'HOST', 'Content-Length', 'content-x', 'Connection', 'Transfer-Encoding', 'TE', 'Trailer'],
    ['Upgrade', 'Expect', 'Keep-Alive', 'Proxy-Authorization', 'Forwarded', 'X-Forwarded-For', 'User-Agent'],
    'Accept Accept-Encoding TraceParent tracestate webhook-id X-Service-Signature x-service-'.split(' '),
  ],
  'header-value': [
    ['a', 'a b', '!', '~', 'Basic eA==', '', ' ', ' a', 'a ', 'a\tb', 'é', 'a\n', '\u007f', '\0'],
  ],
  phone: [
    ['22000045', '+22222000045', '0022222000045', '22 00 00-45', '22.00.00.45', '+33 6 12 34 56 78'],
    ['33612345678', '222220000', '2220000451', '+22200004', '02000045', '2200004', '+2200004'],
    ['٢٢٠٠٠٠٤٥', '+٢٢٢ ٢٢ ٠٠ ٠٠ ٤٥', '۰۰۲۲۲۲۲۰۰۰۰۴۵', '٠٢٠٠٠٠٤٥', '2٢۲22000045', '٢٢٠٠٠٠٤'],
    ['1234567890123456', 'phone', '22000045x', ''],
  ],
}

describe('A string format in the OpenAPI description', () => {
  for (const [format, rows] of Object.entries(samples))
    it(`matches exactly the values that the service accepts: ${format}`, () => {
      const values = rows.flat()
      const isDescribed = ajv.compile({ type: 'string', ...described[format] })
      expect(values.filter((value) => isAccepted(format, value))).to.have.length.above(0)
      for (const value of values)
        expect(isDescribed(value), JSON.stringify(value)).to.equal(isAccepted(format, value))
    })
})
