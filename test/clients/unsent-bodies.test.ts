import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { phpName } from '../../clients/generate/php.ts'
import { createPayments } from '../../clients/typescript/payments.ts'
import { languages, librariesOf } from '../docs/languages.ts'
import { runProgram, skipUnlessHere } from '../docs/program.ts'
import { listen } from '../support/listen.ts'
import { withOpened } from '../support/with.ts'

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

const sent = { amount: 5, label: 'Thé 🫖 "\\\n', metadata: { list: [null, true, {}], '': '0' } }

/** Per language: bodies that JSON can't represent, and a program that prints those that `call` did not refuse. */
const programs: Record<string, string> = {
  Node: `
import { createPayments } from '@payment-intents-mru/client'
const payments = createPayments({ key: process.env.KEY, baseUrl: process.env.BASE })
const call = async (_method, _path, body) => payments.createIntent(body)
class Money { toJSON() { return undefined } }
class Getter { get amount() { return 5 } }
class Private { #amount = 5; get amount() { return this.#amount } }
class Tagged extends Map { get [Symbol.toStringTag]() { return 'Object' } }
class Whole { amount = 5; toJSON() { return {} } }
class List extends Array { get amount() { return 5 } }
const circular = {}
circular.self = circular
const bodies = {
  NaN: { amount: NaN }, Infinity: { amount: -Infinity }, boxed: { amount: new Number(NaN) }, BigInt: { amount: 5n },
  undefined: { amount: undefined }, function: { amount() {} }, symbol: { amount: Symbol('5') }, Money: { amount: new Money() },
  hole: { list: [1, , 2] }, deep: { metadata: { a: [{ b: NaN }] } }, circular, date: { from: new Date('never') },
  bytes: { reason: new Uint8Array(2) }, map: { metadata: new Map([['a', 'b']]) }, promise: { amount: Promise.resolve(5) },
  surrogate: { reason: 'a\\ud83e' }, swapped: { reason: '\\udedb\\ud83e' }, name: { metadata: { '\\udedb': '' } },
  'a promise as the body': Promise.resolve({ amount: 5 }), 'a set as the body': new Set(), 'NaN as the body': NaN, '0 ': '\\ud83e',
  'a replaced body': { amount: 5, toJSON: () => ({}) }, boxes: { list: [new String('a')] }, 'a box as the body': new Boolean(true),
  'a date as the body': new Date(0),
}
const lossy = {
  extra: Object.assign([], { amount: 5 }), hole: Object.assign([,], { amount: 5 }), getter: new Getter(), private: new Private(),
  inherited: Object.create({ amount: 5 }), twice: Object.create(Object.assign(Object.create(null), { amount: 5 })),
  hidden: Object.defineProperty({}, 'amount', { value: 5 }), key: { [Symbol('amount')]: 5 }, tagged: new Tagged([['amount', 5]]),
  list: new List(), fields: Object.assign(() => 5, { amount: 5 }), error: new Error('5'), arguments: (function () { return arguments })(5),
}
for (const [name, body] of Object.entries(lossy)) Object.assign(bodies, { [name + ' ']: body, [name + ' inside']: { metadata: [body] } })
for (const [name, body] of Object.entries({ ...bodies, 'another body': new Whole() }))
  await call('POST', '/refund', body).then(() => console.log(name), (error) => error instanceof TypeError || console.log(name, error))
const own = { get amount() { return 5 }, label: { toJSON: () => ${JSON.stringify(sent.label)} } }
await call('POST', '/refund', Object.assign(Object.create(null), ${JSON.stringify(sent)}))
await call('POST', '/refund', Object.defineProperties(${JSON.stringify(sent)}, Object.getOwnPropertyDescriptors(own)))
`,
  Python: `
import os
from collections import OrderedDict, namedtuple
from decimal import Decimal
from enum import IntEnum
from payment_intents_mru import Payments
payments = Payments(key=os.environ["KEY"], base_url=os.environ["BASE"])
class Keys(dict):
    def keys(self):
        return ["amount"]
    def __getitem__(self, key):
        return 5
class Iterated(Keys):
    def __iter__(self):
        return iter(self.keys())
class Items(dict):
    def items(self):
        return []
class Attribute(dict):
    amount = 5
class Listed(list):
    def __iter__(self):
        return iter([5])
attribute = OrderedDict()
attribute.amount = 5
circular = {}
circular["self"] = circular
nan = float("nan")
values = [Keys(), Iterated(), Items(amount=5), Attribute(), Listed(), attribute, namedtuple("Refund", "amount")(5), {5: "amount"},
    {None: 5}, {True: 5, "true": 5}, IntEnum("Amount", "FIVE").FIVE, nan, -float("inf"), Decimal(5), 5j, {5}, circular,
    "é".encode("latin-1"), bytearray(b"a"), {b"reason": "a"}, "a\\ud83e", {(1, 2): 3}, "\\ud83e\\udedb", {"\\udedb": ""},
    object(), lambda: 5, (each for each in []), b"\\xe9".decode("utf-8", "surrogateescape")]
for value in values:
    for fields in [{"amount": value}, {"metadata": value}, {"metadata": {"a": [value]}}]:
        try:
            payments.create_intent(**fields)
            print(fields)
        except (TypeError, ValueError):
            pass
for fields in [{"status": nan}, {"status": None}, {"page": 5.5}, {"status": ["PAID"]}]:
    try:
        payments.list_intents(**fields)
        print(fields)
    except TypeError:
        pass
payments.create_intent(**${JSON.stringify(sent).replace('null', 'None').replace('true', 'True')})
`,
  PHP: `<?php
require '${phpName}';
$payments = new PaymentIntentsMru\\Payments(getenv('KEY'), getenv('BASE'));
$deep = [];
for ($i = 0; $i < 600; $i++) $deep = [$deep];
$circular = [];
$circular['self'] = &$circular;
class Money { private $amount = 5; }
class Amount { public function __construct(public $value) {} }
class Hidden extends stdClass { protected $amount = 5; }
class Serialized extends Amount implements JsonSerializable { public function jsonSerialize(): mixed { return $this->value; } }
class Itself extends Money implements JsonSerializable { public function jsonSerialize(): mixed { return $this; } }
$generator = fn () => yield 'amount' => 5;
$lossy = [fn () => 5, $generator(), new Money(), new Amount(5), new Hidden(), (object) (array) new Money(), new ArrayIterator([5]),
    new Itself(), new Serialized(new Money()), new Serialized([fn () => 5]), new SplStack()];
$bodies = [['reason' => "th\\xe9"], ['reason' => "\\xff\\xfe"], ['reason' => "\\xed\\xa0\\xbe"], ['metadata' => ["th\\xe9" => '']],
    ['amount' => NAN], ['amount' => INF], ['amount' => -INF], ['amount' => STDIN], ['metadata' => [['a' => "\\xc3"]]], $deep, $circular,
    ['reason' => substr('é', 0, 1)], ['amount' => 200, 'reason' => "th\\xe9"]];
foreach ($lossy as $each) array_push($bodies, $each, [$each], ['metadata' => $each], ['metadata' => (object) ['a' => [$each]]]);
foreach ($bodies as $at => $body) {
    try {
        $payments->createIntent($body);
        echo "$at\\n";
    } catch (JsonException | TypeError) {
    }
}
foreach ([['status' => NAN], ['status' => null], ['status' => ['PAID']], ['page' => 5.5]] as $input) {
    try {
        $payments->listIntents($input);
        echo json_encode($input), "\\n";
    } catch (InvalidArgumentException) {
    }
}
$sent = (array) json_decode(<<<'END'
${JSON.stringify(sent)}
END);
$payments->createIntent(['label' => new Serialized(new Serialized($sent['label']))] + $sent);
`,
}

describe('A downloadable client', () => {
  const recorder = withOpened(startRecorder, ({ close }) => close())

  for (const { name, command, extension } of languages)
    it(`throws at once instead of sending a body that can't be fully encoded (${name})`, async function () {
      skipUnlessHere(this, name, [command, '--version'], 'clients/examples')
      const files = { ...librariesOf({ extension }), [`run.${extension}`]: programs[name] ?? '' }
      const environment = { BASE: recorder.origin, KEY: 'sk_test_x' }
      const before = recorder.bodies.length
      expect(await runProgram([command, `run.${extension}`], { files, environment, input: '' })).to.equal('')
      const bodies = recorder.bodies.slice(before).map((body) => JSON.parse(body))
      expect(bodies).to.deep.equal(name === 'Node' ? [sent, sent] : [sent])
    })

  it("throws at once instead of sending a body that can't be fully encoded (TypeScript)", async () => {
    const payments = createPayments({ key: 'sk_test_x', baseUrl: recorder.origin })
    const before = recorder.bodies.length
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const numbers = [Number.NaN, Infinity, 5n, undefined]
    const amounts = [...numbers, Symbol('5'), () => 5, Promise.resolve(5), circular, new Map()]
    class Refund {
      referenceNumber = 'PI-1'
      get amount() {
        return 5
      }
    }
    const fields = { referenceNumber: 'PI-1', amount: 5 }
    const own = { referenceNumber: 'PI-1' }
    const lossy = [
      new Refund(),
      Object.create(fields),
      Object.defineProperty({ ...own }, 'amount', { value: 5 }),
      { ...own, [Symbol('amount')]: 5 },
      Object.assign([], fields),
      Object.assign(new Map(), own),
      Object.assign(Object.create({ amount: 5 }), own),
    ]
    const values = [...amounts, new Date('never'), 'a\ud83e', { '\udedb': 1 }, [[Number.NaN]], ...lossy]
    const replaced = { ...fields, toJSON: () => ({}) }
    const inputs: object[] = [...lossy, replaced, ...values.map((amount) => ({ ...own, amount }))]
    for (const [index, input] of inputs.entries()) {
      const error = await payments.refundIntent(input as typeof own).catch((thrown: unknown) => thrown)
      expect(error, `input ${index}`).to.be.instanceOf(TypeError)
    }
    expect(recorder.bodies).to.have.length(before)
    await payments.refundIntent({ referenceNumber: 'PI-1', reason: sent.label })
    expect(recorder.bodies.at(-1)).to.equal(JSON.stringify({ reason: sent.label }))
  })
})
