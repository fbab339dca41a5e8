// Passwords of at least eight characters that whoever guesses tries first.
const WORDS = `
00000000 01234567 0123456789 0987654321 10203040 11111111 1111111111 11223344 12121212 123123123 123321123 12341234 12344321
12345678 123456781 123456789 1234567890 12345678910 123456789a 123456789q 12345678a 1234abcd 123qweasd 1q2w3e4r 1q2w3e4r5t
1qaz2wsx 1qazxsw2 22222222 55555555 66666666 69696969 77777777 87654321 88888888 987654321 9876543210 99999999 a1234567
a12345678 a123456789 aa123456 aa12345678 aaaaaaaa abc12345 abc123456 abcd1234 abcdefg1 abcdefgh access14 admin123 admin1234
administrator alexander asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl babygirl baseball baseball1 basketball benjamin bigdaddy
blink182 brooklyn butterfly caroline changeme changeme1 charlie1 cheyenne chocolate christian christopher cocacola computer
consumer corvette creative danielle december diamond1 dolphins dragon12 einstein elephant elizabeth fastball football football1
freedom1 fuckyou1 garfield godzilla greenday hallo123 hardcore hello123 helloworld homer123 iloveyou iloveyou1 iloveyou2
infinity internet isabella jennifer jonathan jordan23 justdoit katherine kennwort lacrosse leonardo letmein1 letmein123
liverpool longbox1 longbox123 lovelove manchester marathon marlboro maverick mercedes metallica michelle midnight mohammed
monkey123 mountain mustang1 myspace1 newyork1 nicholas nintendo november p4ssw0rd p@ssw0rd p@ssword pa$$w0rd pa$$word pass1234
passport passw0rd password password! password01 password1 password1! password12 password123 password123! password1234 password2
passwort passwort1 passwort123 patricia peekaboo platinum playstation pokemon1 precious princess princess1 q1w2e3r4 q1w2e3r4t5
qazwsx123 qazwsxedc qq123456 qweasdzxc qwer1234 qwerasdf qwert123 qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui qwertyuiop
qwertz123 qwertzuiop rainbow1 remember rush2112 samantha samsung1 schalke04 scorpion secret123 september serenity sexysexy
shithead skywalker slipknot snowball softball spiderman spongebob startrek starwars stephanie sunshine sunshine1 superman
superman1 superstar sweetheart swordfish teddybear test1234 testtest thailand thx11380 tinkerbell trustno1 twilight unicorn1
valentina vanessa1 veronica victoria volkswagen warcraft watermelon welcome1 welcome123 westside whatever whatsapp william1
wolverine wordpass x1234567 yourmom1 zaq12wsx zaq1zaq1 zxcvbnm1 zxcvbnm123
`;

const COMMON: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** Letters count in either case. */
export const isCommonPassword = (password: string): boolean => COMMON.has(password.normalize('NFKC').toLowerCase());
