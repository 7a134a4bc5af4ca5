import { expect } from 'chai'
import { parse } from 'node-html-parser'
import { wordsOf } from '../../dev/demo/screen.ts'
import { formFor } from '../../dev/form.ts'

const page = `<body><p>Pay <b>5.00</b> &amp; go</p><p hidden>later</p><dl><dt>For</dt><dd>Rice</dd></dl>
  <form action="/?lang=en"><input name="q"></form>
  <form method="post" action="/p/ABC234?lang=en"><input type="hidden" name="form" value="a&amp;&quot;b">
    <label>PIN <input value="12" name="pin"></label><button name="way" value="1">Pay</button></form><script>no()</script></body>`

describe('The HTML parser of the demo and the benchmarks', () => {
  it('returns the form that contains a given field', () => {
    expect(formFor('pin', page, 'http://pay.example/p/ABC234')).to.deep.equal({
      method: 'POST',
      url: 'http://pay.example/p/ABC234?lang=en',
      fields: { form: 'a&"b', pin: '12' },
    })
    expect(formFor('q', page, 'http://pay.example/p/ABC234').method).to.equal('GET')
  })

  it('throws if no form contains the field', () => {
    expect(() => formFor('code', page, 'http://pay.example/')).to.throw('does not ask for the code')
  })

  it('returns the text that a customer sees', () => {
    const fields = ['[____________]', 'PIN', '[12__________]', '( Pay )']
    expect(wordsOf(parse(page))).to.deep.equal(['Pay 5.00 & go', 'For: Rice', ...fields])
  })
})
