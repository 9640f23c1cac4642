import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeFieldError } from "../../core/api/field-error.ts";
import { readSchema, type SchemaNode } from "../../core/api/schema/schema-node.ts";
import { validateRules } from "../../core/api/schema/validate-rules.ts";
import { celRules } from "./cel-rules.ts";

const schema = {
  type: "object",
  properties: {
    s: { type: "string", maxLength: 5 },
    l: { type: "array", maxItems: 4, items: { type: "integer" } },
    e: { type: "array", maxItems: 4, items: { type: "integer" } },
    m: { type: "object", maxProperties: 4, additionalProperties: { type: "integer" } },
    i: { type: "integer" },
    d: { type: "number" },
    ios: { "x-kubernetes-int-or-string": true, maxLength: 5 },
    ios2: { "x-kubernetes-int-or-string": true, maxLength: 5 },
    dur: { type: "string", format: "duration" },
    t: { type: "string", format: "date-time" },
    b: { type: "string", format: "byte", maxLength: 10 },
    opt: { type: "string", maxLength: 5 },
    o: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } },
    namespace: { type: "string", maxLength: 4 },
    "a-b": { type: "string", maxLength: 4 },
    n: { type: "string", nullable: true, maxLength: 4 },
    set: { type: "array", maxItems: 3, "x-kubernetes-list-type": "set", items: { type: "string", maxLength: 3 } },
  },
};

const object = {
  s: "ABc",
  l: [1, 2, 3],
  e: [],
  m: { a: 1, b: 2 },
  i: 5,
  d: 1.5,
  ios: 7,
  ios2: "5%",
  dur: "1h30m",
  t: "2024-01-02T03:04:05Z",
  b: "aGk=",
  o: { x: 1 },
  namespace: "q",
  "a-b": "r",
  n: null,
  set: ["a", "b"],
};

// Rules with what kube-apiserver 1.36.3 made of them for this object: true, false, or an error.
const outcomes: readonly (readonly [rule: string, outcome: boolean | string])[] = [
  ["self.s.lowerAscii() == 'abc'", true],
  ["self.s.upperAscii() == 'ABC'", true],
  ["'ÀB'.lowerAscii() == 'Àb'", true],
  ["self.s.charAt(1) == 'B'", true],
  ["self.s.charAt(9) == 'B'", "index out of range: 9 evaluating rule: self.s.charAt(9) == 'B'"],
  ["self.s.substring(1) == 'Bc'", true],
  ["self.s.substring(1, 2) == 'B'", true],
  [
    "self.s.substring(2, 1) == 'B'",
    "invalid substring range. start: 2, end: 1 evaluating rule: self.s.substring(2, 1) == 'B'",
  ],
  ["self.s.substring(5) == 'B'", "index out of range: 5 evaluating rule: self.s.substring(5) == 'B'"],
  ["'😀b'.substring(1) == 'b'", true],
  ["self.s.indexOf('c') == 2", true],
  ["self.s.lastIndexOf('x') == -1", true],
  ["self.s.replace('A', 'xx') == 'xxBc'", true],
  ["'aaa'.replace('a', 'b', 2) == 'bba'", true],
  ["'a,b,c'.split(',') == ['a','b','c']", true],
  ["'a,b,c'.split(',', 2) == ['a','b,c']", true],
  ["' x '.trim() == 'x'", true],
  ["self.s.find('[A-Z]+') == 'AB'", true],
  ["self.s.find('z') == ''", true],
  ["'a1b2'.findAll('[0-9]') == ['1','2']", true],
  ["'a1b2'.findAll('[0-9]', 1) == ['1']", true],
  ["self.s.matches('^A.c$')", true],
  ["self.s.matches('(?i)abc')", true],
  ["self.s.contains('B')", true],
  ["self.s.startsWith('A') && self.s.endsWith('c')", true],
  ["size(self.s) == 3", true],
  ["'😀'.size() == 1", true],
  ["self.l.isSorted()", true],
  ["self.l.sum() == 6", true],
  ["self.l.min() == 1", true],
  ["self.l.max() == 3", true],
  ["self.l.indexOf(2) == 1", true],
  ["self.l.lastIndexOf(9) == -1", true],
  ["self.e.min() == 1", "min called on empty list evaluating rule: self.e.min() == 1"],
  ["self.l[5] == 1", "index out of bounds: 5 evaluating rule: self.l[5] == 1"],
  ["self.l[-1] == 1", "index out of bounds: -1 evaluating rule: self.l[-1] == 1"],
  ["self.l.exists(x, x > 2)", true],
  ["self.l.exists_one(x, x > 2)", true],
  ["self.l.map(x, x * 2) == [2,4,6]", true],
  ["self.l.filter(x, x > 1).size() == 2", true],
  ["self.l.all(x, x > 0)", true],
  ["self.l + [4] == [1,2,3,4]", true],
  ["2 in self.l", true],
  ["9 in self.l", false],
  ["self.m.all(k, self.m[k] > 0)", true],
  ["'a' in self.m", true],
  ["self.m['zz'] == 1", "no such key: zz evaluating rule: self.m['zz'] == 1"],
  ["self.m.a == 1", true],
  ["self.m.size() == 2", true],
  ["self.i / 0 == 1", "division by zero evaluating rule: self.i / 0 == 1"],
  ["self.i % 0 == 1", "modulus by zero evaluating rule: self.i % 0 == 1"],
  ["self.i + 9223372036854775807 > 0", "integer overflow evaluating rule: self.i + 9223372036854775807 > 0"],
  ["self.i * 2 == 10", true],
  ["self.i / 2 == 2", true],
  ["-self.i == -5", true],
  ["double(self.i) == 5.0", true],
  ["self.d > 1.0", true],
  ["self.d * 2.0 == 3.0", true],
  ["int(self.d) == 1", true],
  ["int('12') == 12", true],
  ["double('1.5') == 1.5", true],
  ["string(self.i) == '5'", true],
  ["string(self.d) == '1.5'", true],
  ["string(true) == 'true'", true],
  ["bool('true')", true],
  ["type(self.ios) == int", true],
  ["type(self.ios) == string", false],
  ["self.ios == 7", true],
  ["self.ios > 3", true],
  [
    "self.ios.size() > 0",
    "'no such overload: size': call arguments did not match a supported operator, function or macro signature for rule: self.ios.size() > 0",
  ],
  ["self.ios2.matches('%')", true],
  [
    "self.ios2 > 3",
    "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.ios2 > 3",
  ],
  ["dyn(self.i) == 5", true],
  ["dyn('a') == 5", false],
  ["self.dur == duration('1h30m')", true],
  ["self.dur.getMinutes() == 90", true],
  ["self.dur.getSeconds() == 5400", true],
  ["self.dur > duration('1h')", true],
  ["duration('-1.5h') < duration('0s')", true],
  ["self.t.getFullYear() == 2024", true],
  ["self.t.getMonth() == 0", true],
  ["self.t.getDayOfMonth() == 1", true],
  ["self.t.getDate() == 2", true],
  ["self.t.getDayOfWeek() == 2", true],
  ["self.t.getHours() == 3", true],
  ["self.t + duration('1h') == timestamp('2024-01-02T04:04:05Z')", true],
  ["self.t - timestamp('2024-01-02T03:04:00Z') == duration('5s')", true],
  ["self.b == b'hi'", true],
  ["size(self.b) == 2", true],
  ["isURL('https://a.b:80/c?d=e')", true],
  ["url('https://a.b:80/c?d=e').getHost() == 'a.b:80'", true],
  ["url('https://a.b:80/c?d=e').getHostname() == 'a.b'", true],
  ["url('https://a.b:80/c?d=e').getPort() == '80'", true],
  ["url('https://a.b:80/c?d=e').getEscapedPath() == '/c'", true],
  ["url('https://a.b:80/c?d=e').getQuery() == {'d': ['e']}", true],
  ["url('https://a.b:80/c?d=e').getScheme() == 'https'", true],
  ["isURL('../x')", false],
  [
    "url('nope').getHost() == ''",
    "URL parse error during conversion from string: parse \"nope\": invalid URI for request evaluating rule: url('nope').getHost() == ''",
  ],
  ["isQuantity('10Mi') && !isQuantity('x')", true],
  ["quantity('1Gi').isGreaterThan(quantity('1G'))", true],
  ["quantity('500m').compareTo(quantity('0.5')) == 0", true],
  ["quantity('1').add(quantity('500m')).isLessThan(quantity('2'))", true],
  ["quantity('50k').asInteger() == 50000", true],
  ["quantity('1.5').isInteger()", false],
  ["quantity('9.5').asApproximateFloat() == 9.5", true],
  ["isIP('1.2.3.4') && !isIP('1.2.3.400')", true],
  ["ip('127.0.0.1').isLoopback()", true],
  ["ip('::1').family() == 6", true],
  ["ip('10.0.0.1').isGlobalUnicast()", true],
  ["string(ip('1.2.3.4')) == '1.2.3.4'", true],
  [
    "ip('x').family() == 4",
    'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP evaluating rule: ip(\'x\').family() == 4',
  ],
  ["isCIDR('10.0.0.0/8')", true],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
  ["cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))", false],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
  ["cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", true],
  ["cidr('10.0.0.0/8').prefixLength() == 8", true],
  ["cidr('10.0.0.0/8').ip() == ip('10.0.0.0')", true],
  ["sets.contains([1,2,3],[2])", true],
  ["sets.equivalent([1,2],[2,1,1])", true],
  ["sets.intersects([1],[2])", false],
  ["has(self.opt)", false],
  ["has(self.o.x)", true],
  ["self.o.x == 1", true],
  ["self.?o.?y.orValue(4) == 4", true],
  ["self.?o.?x.hasValue()", true],
  ["self.o == self.o", true],
  ["[self.o] == [self.o]", true],
  ["optional.of(1).value() == 1", true],
  ["optional.none().orValue(3) == 3", true],
  ["optional.of(1).optMap(x, x + 1).value() == 2", true],
  ["self.__namespace__ == 'q'", true],
  ["self.a__dash__b == 'r'", true],
  ["self.l == [1,2,3] ? true : false", true],
  ["self.i > 3 || self.l[9] == 1", true],
  ["self.l[9] == 1 || self.i > 3", true],
  ["self.l[9] == 1 && self.i > 30", false],
  ["self.l.map(x, x > 1, x) == [2,3]", true],
  ["{'a': 1}['a'] == 1", true],
  ["[1, 2] == [2, 1]", false],
  ["'%d-%s'.format([self.i, self.s]) == '5-ABc'", true],
  ["strings.quote('a') == '\"a\"'", true],
  ["lists.range(3) == [0,1,2]", true],
  ["self.l.sort() == [1,2,3]", true],
  ["self.l.distinct().size() == 3", true],
  ["self.l.slice(0, 2) == [1,2]", true],
  ["[[1],[2]].flatten() == [1,2]", true],
  ["self.l.reverse() == [3,2,1]", true],
];

function schemaWith(rule: object): SchemaNode {
  return readSchema({ ...schema, "x-kubernetes-validations": [rule] });
}

interface Values {
  readonly self?: unknown;
  readonly old?: unknown;
}

function check(rule: object, { self = object, old }: Values = {}): string[] {
  const node = schemaWith(rule);
  const errors = validateRules({
    schema: node,
    value: self,
    old,
    path: "spec",
    correlation: undefined,
    evaluator: celRules,
    isResourceRoot: false,
  });
  return errors.map(describeFieldError);
}

describe("A rule is evaluated as kube-apiserver evaluates it:", () => {
  for (const [rule, outcome] of outcomes) {
    it(rule, () => {
      const expected =
        typeof outcome === "string"
          ? [`spec: Invalid value: "object": ${outcome}`]
          : outcome
            ? []
            : [`spec: Invalid value: failed rule: ${rule}`];
      assert.deepEqual(check({ rule }), expected);
    });
  }
});

describe("A rule", () => {
  it("about old values is skipped where there are none", () => {
    assert.deepEqual(check({ rule: "self.i == oldSelf.i + 1" }), []);
  });

  it("about old values compares them with the new ones", () => {
    const rule = { rule: "self.i == oldSelf.i + 1", message: "count by one" };
    assert.deepEqual(
      [check(rule, { old: { i: 4 } }), check(rule, { old: { i: 5 } })],
      [[], ["spec: Invalid value: count by one"]],
    );
  });

  it("with an optional old value is evaluated where there is none too", () => {
    const rule = {
      rule: "!oldSelf.hasValue() || oldSelf.value().i < self.i",
      optionalOldSelf: true,
      message: "must grow",
    };
    assert.deepEqual(
      [check(rule), check(rule, { old: { i: 4 } }), check(rule, { old: { i: 6 } })],
      [[], [], ["spec: Invalid value: must grow"]],
    );
  });

  it("falls back to its message where the expression of the message fails", () => {
    const rule = { rule: "false", message: "plain", messageExpression: "self.opt" };
    assert.deepEqual(check(rule), ["spec: Invalid value: plain"]);
  });

  it("is stopped before it keeps the server busy", () => {
    const self = { l: Array.from({ length: 3000 }, (_, index) => index) };
    const rule = { rule: "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))" };
    assert.deepEqual(check(rule, { self }), [
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it("is not kept busy by a pattern", () => {
    assert.deepEqual(check({ rule: "!self.s.matches('^(a+)+$')" }, { self: { s: `${"a".repeat(5000)}!` } }), []);
  });

  // Each with the first line of what the compiler of Kubernetes says.
  const mistakes: readonly (readonly [rule: string, problem: string])[] = [
    ["self.nope == 1", "ERROR: <input>:1:5: undefined field 'nope'"],
    ["has(self.o.nope)", "ERROR: <input>:1:4: undefined field 'nope'"],
    ["self.i == 'x'", "ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)'"],
    ["foo == 1", "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')"],
    ["self.s.frob(3)", "ERROR: <input>:1:12: undeclared reference to 'frob' (in container '')"],
    ["self.s.matches(3)", "ERROR: <input>:1:15: found no matching overload for 'matches' applied to 'string.(int)'"],
    ["size(self.i) > 1", "ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'"],
    ["!self.i", "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'"],
    ["self.l.all(x, x.y)", "ERROR: <input>:1:16: type 'int' does not support field selection"],
  ];
  for (const [rule, problem] of mistakes) {
    it(`does not compile as ${rule}`, () => {
      const [compiled] = celRules.compile(schemaWith({ rule }), false);
      assert.equal(compiled?.ruleError?.split("\n")[0], `compilation failed: ${problem}`);
    });
  }

  it("must be true or false", () => {
    const [compiled] = celRules.compile(schemaWith({ rule: "self.i" }), false);
    assert.equal(compiled?.ruleError, "cel expression must evaluate to a bool");
  });

  it("may not nest without end", () => {
    const [compiled] = celRules.compile(schemaWith({ rule: `${"(".repeat(10_000)}true${")".repeat(10_000)}` }), false);
    assert.ok(compiled?.ruleError !== undefined);
  });
});
