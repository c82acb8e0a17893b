/**
 * Does a sentence of a description state a constraint that the schema itself may not carry? In doubt it does: a
 * sentence too many costs tokens, one too few a wrong call.
 */

const CONSTRAINT = new RegExp(
  [
    // duty and prohibition
    /\b(must|shall|should|has to|have to|needs? to|requires?|required|mandatory|optional(ly)?|never|always|only)\b/,
    /\b(not|cannot|can't|don't|doesn't|isn't|aren't|won't|shouldn't|mustn't|without|except|unless|otherwise)\b/,
    /\b(allowed|permitted|forbidden|valid|invalid|accept(s|ed)?|supports?|supported|reject(s|ed)?|ignored|fails?)\b/,
    // bounds
    /\b(at (most|least)|up to|between|within|exceeds?|exactly|limit(s|ed)?|range|max(imum|imal)?|min(imum|imal)?)\b/,
    /\b(more|less|fewer|greater|larger|smaller|longer|shorter|later|earlier|older|newer|higher|lower) than\b/,
    /\b(positive|negative|non-?(empty|negative|zero)|inclusive|exclusive|unique|case-?(in)?sensitive)\b/,
    // form
    /\b(formats?|formatted|pattern|regex(p)?|regular expression|ISO|RFC|UTC|JSON|YAML|XML|URI|URL|UUID|base64)\b/,
    /\b(encoded|escaped|quoted|comma-?separated|delimited|lower-?case|upper-?case|absolute|relative|prefix(ed)?)\b/,
    /\b(one of|either|any of|values?|in (milli|micro)?(seconds|minutes|hours|days|bytes|pixels|cents|tokens)|units?)\b/,
    // what happens when it is left out
    /\b(defaults?|omit(s|ted)?|leave (it )?(empty|blank|out)|if (not|un|missing|absent|empty)|when (not|empty))\b/,
    /\b(mutually|together with|depends on|instead of|in addition to|same as)\b/,
    /\d/,
    /必须|不得|不能|不可|禁止|必需|必填|仅|只能|只有|至少|至多|最多|最少|最大|最小|默认|格式|范围|之间|单位|否则|可选|为空/,
    /必須|しなければ|できません|しないで|のみ|以上|以下|以内|未満|最大|最小|既定|デフォルト|形式|範囲|省略/,
    /반드시|해야|안 됩니다|만 |이상|이하|이내|최대|최소|기본값|형식|범위|생략/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
)

/** What only illustrates the sentence before it. */
const EXAMPLE = /^\W*(for (example|instance)|e\.g\.|examples?\b|such as|例如|比如|例えば|예를 들어)/iu

export function statesConstraint(sentence: string): boolean {
  return CONSTRAINT.test(sentence) && !EXAMPLE.test(sentence)
}
