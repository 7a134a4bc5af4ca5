import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { createPayments } from '../../docs/clients/payments.ts'
import { languages, librariesOf } from '../docs/languages.ts'
import { runProgram, skipUnlessHere } from '../docs/program.ts'
import { listen } from '../support/listen.ts'
import { withOpened } from '../support/with.ts'

/** A server that accepts every request, and the bodies that it received. */
async function startRecorder() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const respond = (body: Buffer): void => {
      bodies.push(body.toString())
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"success":true,"data":{}}')
    }
    void buffer(request).then(respond)
  })
  return { ...(await listen(server)), bodies }
}

const sent = { amount: 5, reason: 'Thé 🫖 "\\\n', metadata: { list: [null, true, {}], '': '0' } }

/** For each language, bodies that JSON cannot represent, and a program that prints those that `call` did not refuse. */
const programs: Record<string, string> = {
  Node: `
import { call } from './client.mjs'
class Money { toJSON() { return undefined } }
const circular = {}
circular.self = circular
const bodies = {
  NaN: { amount: NaN }, Infinity: { amount: -Infinity }, boxed: { amount: new Number(NaN) }, BigInt: { amount: 5n },
  undefined: { amount: undefined }, function: { amount() {} }, symbol: { amount: Symbol('5') }, Money: { amount: new Money() },
  hole: { list: [1, , 2] }, deep: { metadata: { a: [{ b: NaN }] } }, circular, date: { from: new Date('never') },
  bytes: { reason: new Uint8Array(2) }, map: { metadata: new Map([['a', 'b']]) }, promise: { amount: Promise.resolve(5) },
  surrogate: { reason: 'a\\ud83e' }, swapped: { reason: '\\udedb\\ud83e' }, name: { metadata: { '\\udedb': '' } },
  'a promise as the body': Promise.resolve({ amount: 5 }), 'a set as the body': new Set(), 'NaN as the body': NaN, '0 ': '\\ud83e',
}
for (const [name, body] of Object.entries(bodies))
  await call('POST', '/refund', body).then(() => console.log(name), (error) => error instanceof TypeError || console.log(name, error))
await call('POST', '/refund', ${JSON.stringify(sent)})
`,
  Python: `
from client import call
from decimal import Decimal
circular = {}
circular["self"] = circular
nan = float("nan")
bodies = [{"amount": nan}, {"amount": -float("inf")}, {"amount": Decimal(5)}, {"amount": 5j}, {"amount": {5}}, circular,
    {"reason": "é".encode("latin-1")}, {"reason": bytearray(b"a")}, {b"reason": "a"}, {"reason": "a\\ud83e"}, {(1, 2): 3},
    {"reason": "\\ud83e\\udedb"}, {"metadata": {"\\udedb": ""}}, {"metadata": [{"a": [nan]}]}, {"amount": object()},
    {"amount": lambda: 5}, (each for each in []), b"{}", nan, {"reason": b"\\xe9".decode("utf-8", "surrogateescape")}]
for body in bodies:
    try:
        call("POST", "/refund", body)
        print(body)
    except (TypeError, ValueError):
        pass
call("POST", "/refund", ${JSON.stringify(sent).replace('null', 'None').replace('true', 'True')})
`,
  PHP: `<?php
require 'client.php';
$deep = [];
for ($i = 0; $i < 600; $i++) $deep = [$deep];
$circular = [];
$circular['self'] = &$circular;
$bodies = [['reason' => "th\\xe9"], ['reason' => "\\xff\\xfe"], ['reason' => "\\xed\\xa0\\xbe"], ['metadata' => ["th\\xe9" => '']],
    ['amount' => NAN], ['amount' => INF], ['amount' => -INF], ['amount' => STDIN], ['metadata' => [['a' => "\\xc3"]]], $deep, $circular,
    ['reason' => substr('é', 0, 1)], ['amount' => 200, 'reason' => "th\\xe9"]];
foreach ($bodies as $at => $body) {
    try {
        call('POST', '/refund', $body);
        echo "$at\\n";
    } catch (JsonException) {
    }
}
call('POST', '/refund', json_decode(<<<'END'
${JSON.stringify(sent)}
END, true));
`,
}

describe('A client that the service serves', () => {
  const recorder = withOpened(startRecorder, ({ close }) => close())

  for (const { name, command, extension } of languages)
    it(`sends no body that it could not encode completely, and throws at once, in ${name}`, async function () {
      skipUnlessHere(this, name, [command, '--version'], 'docs/clients')
      const files = { ...librariesOf({ extension }), [`run.${extension}`]: programs[name] ?? '' }
      const environment = { BASE: recorder.origin, KEY: 'sk_test_x' }
      const before = recorder.bodies.length
      expect(await runProgram([command, `run.${extension}`], { files, environment, input: '' })).to.equal('')
      const bodies = recorder.bodies.slice(before).map((body) => JSON.parse(body))
      // PHP has no empty object apart from an empty list.
      const expected = name === 'PHP' ? { ...sent, metadata: { list: [null, true, []], '': '0' } } : sent
      expect(bodies).to.deep.equal([expected])
    })

  it('sends no body that it could not encode completely, in TypeScript', async () => {
    const payments = createPayments({ key: 'sk_test_x', baseUrl: recorder.origin })
    const before = recorder.bodies.length
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const amounts = [Number.NaN, Infinity, 5n, undefined, Symbol('5'), () => 5, Promise.resolve(5), circular, new Map()]
    for (const amount of [...amounts, new Date('never'), 'a\ud83e', { '\udedb': 1 }, [[Number.NaN]]]) {
      const input = { referenceNumber: 'PI-1', amount } as unknown as { referenceNumber: string }
      const error = await payments.refundIntent(input).catch((thrown: unknown) => thrown)
      expect(error, typeof amount).to.be.instanceOf(TypeError)
    }
    expect(recorder.bodies).to.have.length(before)
    await payments.refundIntent({ referenceNumber: 'PI-1', reason: sent.reason })
    expect(recorder.bodies.at(-1)).to.equal(JSON.stringify({ reason: sent.reason }))
  })
})
