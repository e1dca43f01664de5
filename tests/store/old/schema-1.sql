BEGIN TRANSACTION;
CREATE TABLE acceptance (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    rulebook_version INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    how TEXT NOT NULL,
    FOREIGN KEY (club_id, rulebook_version) REFERENCES rulebook (club_id, number)
) STRICT;
INSERT INTO "acceptance" VALUES(1,1,1,1,1767600000000000,'founder');
INSERT INTO "acceptance" VALUES(2,1,2,1,1767600000000000,'founder');
INSERT INTO "acceptance" VALUES(3,1,3,1,1767600000000000,'founder');
INSERT INTO "acceptance" VALUES(4,1,4,1,1767600000000000,'founder');
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    code TEXT NOT NULL,
    balance_cents INTEGER NOT NULL DEFAULT 0,
    UNIQUE (club_id, code)
) STRICT;
INSERT INTO "account" VALUES(1,1,'equity:initial-credit',-80000);
INSERT INTO "account" VALUES(2,1,'member:anna',19800);
INSERT INTO "account" VALUES(3,1,'member:bela',19800);
INSERT INTO "account" VALUES(4,1,'member:carl',20550);
INSERT INTO "account" VALUES(5,1,'member:dora',19850);
CREATE TABLE address (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    address TEXT NOT NULL,
    is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
    UNIQUE (club_id, address)
) STRICT;
INSERT INTO "address" VALUES(1,1,1,'anna@example.org',1);
INSERT INTO "address" VALUES(2,1,2,'bela@example.org',1);
INSERT INTO "address" VALUES(3,1,3,'carl@example.org',1);
INSERT INTO "address" VALUES(4,1,4,'dora@example.org',1);
CREATE TABLE audit (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "audit" VALUES(1,1,1767600000000000,'open:anna:2026-01-05T09:00:00+01:00','entry','{"digest":"6f9d23271910a4087f02b29e71b1acfa80cb4f1eb91e72115dcc075f3f7d7048","number":1}','6e0564ce75e11c5e5c091a755cfd9fee011a491c9350ad6adfcce011954681cf');
INSERT INTO "audit" VALUES(1,2,1767600000000000,'open:bela:2026-01-05T09:00:00+01:00','entry','{"digest":"b5d3d6b9f83e49da13f982e9447a535337ce36c09fafe8735b702e97903e384e","number":2}','6a059875d7b5aedef5c87e349c2135532dea4a3cefb57b5aee37e006afbb0a09');
INSERT INTO "audit" VALUES(1,3,1767600000000000,'open:carl:2026-01-05T09:00:00+01:00','entry','{"digest":"0b71f622c8bccf237e5de46f466c11652d157cf188f57297aecbd1b884dc5fff","number":3}','33e2b11e72957ddfffe37c7989b61d283f4d93ec2bef132245ed263c4ff12e25');
INSERT INTO "audit" VALUES(1,4,1767600000000000,'open:dora:2026-01-05T09:00:00+01:00','entry','{"digest":"750451602b70ac79dc59a2844cfee12c560816cf978f9bb90c7b9daf0a7e54ff","number":4}','835af1447aefb65957780d9dcc4016e7723543bcfaf83f5a90f2d8a415c7d8d4');
INSERT INTO "audit" VALUES(1,5,1767603600000000,'job:inactivity:2026-01-05T09:00:00+00:00','job','{"notices":0}','f4235446f67805c24c07401899f474e89c7099d0243d0e3474d4e9fe3866e9c0');
INSERT INTO "audit" VALUES(1,6,1767639600000000,'mail:1','mail','{"member":"anna","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["PARTIE"]}','5e65afb97d8e2c30f6800a90f222527364e16d2a9c894dc7c25f76bd88a5e38e');
INSERT INTO "audit" VALUES(1,7,1767643200000000,'mail:2','mail','{"member":"bela","outcomes":["ok"],"reason":"","rules":[null],"state":"answered","verbs":["COMPTE"]}','55d1ed0542bb00af767ed9cd05c43281c4f0d7b93b07e8a1bd4b3a37d61d96fe');
INSERT INTO "audit" VALUES(1,8,1767651000000000,'mail:3:0:0','entry','{"digest":"31e0fc9217f7619e5e2862920f0da70e7e728473df36dae16b5b5e93b54b2b9a","number":5}','43022c01c26249e9a533c0406349a4f11f906919a52ef5faa3c27f6fec51a41f');
INSERT INTO "audit" VALUES(1,9,1767651000000000,'mail:3','mail','{"member":"anna","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["RESULTAT"]}','95e447e6ebbdb7216f7d4f1b252ba086c009ef0e1e61a0368047df23ead9ff28');
INSERT INTO "audit" VALUES(1,10,1767682800000000,'mail:4','mail','{"member":"carl","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["CONTESTE"]}','311660023225d18b8d3ec6c9ed90676276ed732f2ec5ab5b8225f6b7a4ffa7a8');
INSERT INTO "audit" VALUES(1,11,1767686400000000,'job:reminder.daily:2026-01-06T08:00:00+00:00','job','{"notices":0}','cd729ea6c33d6838ade7f68e4b5bb184451c16edf9a69193ce660359ac447ab6');
INSERT INTO "audit" VALUES(1,12,1767686400000000,'mail:5:0:0','entry','{"digest":"72bce9444d0bd4b14e9adbb43bc73a2150770cb02887b3c171c3de2761b3b8b8","number":6}','df3edcf3b8569d9b6ec6fd3998a5e1e6f5ed20a32326eedd4709ed25bbfa2634');
INSERT INTO "audit" VALUES(1,13,1767686400000000,'mail:5','mail','{"member":"dora","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["VIREMENT"]}','4db2796ca1f3e1e31aa08d63d711ef88bf5595b1af8cbb844633f4a4b004ad44');
INSERT INTO "audit" VALUES(1,14,1767688200000000,'mail:6','mail','{"member":"bela","outcomes":["ok"],"reason":"","rules":[null],"state":"answered","verbs":["AIDE"]}','18f8c8a6b3d7fcc39183e390f70f7f86166e27d0c08e44e21897f223f6c8d363');
INSERT INTO "audit" VALUES(1,15,1767690000000000,'job:inactivity:2026-01-06T09:00:00+00:00','job','{"notices":0}','5ca08efd2c65d531b9f57491c1f9e7a70be87c12a81d9e30022b220d2c5635a3');
INSERT INTO "audit" VALUES(1,16,1767690000000000,'mail:7','mail','{"member":"carl","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["PARTIE"]}','954f540038a6edcc8c323bfe50bc1a04cc1b9e2054a35ea4faf895fb1b1ef08a');
INSERT INTO "audit" VALUES(1,17,1767772800000000,'job:reminder.daily:2026-01-07T08:00:00+00:00','job','{"notices":0}','cfd623583f3263b5fc42e72f25e5fb58cfca7364fe0d61887d68540976f25a5a');
INSERT INTO "audit" VALUES(1,18,1767776400000000,'job:inactivity:2026-01-07T09:00:00+00:00','job','{"notices":0}','2630c715e13fcccd81b0ceb4bcb89c2a2360b37bc2685c0afccc08d55fbf1841');
INSERT INTO "audit" VALUES(1,19,1767859200000000,'job:reminder.daily:2026-01-08T08:00:00+00:00','job','{"notices":0}','622e8e6d0242d4150bd22a8225ed3fa90308870792dc78bbc22b297582183860');
INSERT INTO "audit" VALUES(1,20,1767862800000000,'job:inactivity:2026-01-08T09:00:00+00:00','job','{"notices":0}','3071da83e6622fa4e0972c3c753688885bff71da7363841daf80b4236f3e70ef');
INSERT INTO "audit" VALUES(1,21,1767945600000000,'job:reminder.daily:2026-01-09T08:00:00+00:00','job','{"notices":0}','76ab2835295310d2530927ddc234f8c84c8a9ab21b67715552d2b949cacb1d77');
INSERT INTO "audit" VALUES(1,22,1767949200000000,'job:inactivity:2026-01-09T09:00:00+00:00','job','{"notices":0}','23fe8d32785288b5662266733f7a2633f31de34ee9edbb229da2bd2c2bc00379');
INSERT INTO "audit" VALUES(1,23,1768032000000000,'job:reminder.daily:2026-01-10T08:00:00+00:00','job','{"notices":0}','ec9deecba87b6a71477686ea4838795407511e5ce26e7f6a449069723ae9bc02');
INSERT INTO "audit" VALUES(1,24,1768035600000000,'job:inactivity:2026-01-10T09:00:00+00:00','job','{"notices":0}','198245d432adf463235b633fe545b82f61ddda16b7aeaf2e253403da084381b5');
INSERT INTO "audit" VALUES(1,25,1768118400000000,'job:reminder.daily:2026-01-11T08:00:00+00:00','job','{"notices":0}','1936c03a17eb709b72930fb35bef0f8cd7679a4d8797c7ff341c4ba2ef9747ff');
INSERT INTO "audit" VALUES(1,26,1768122000000000,'job:inactivity:2026-01-11T09:00:00+00:00','job','{"notices":0}','86ae2171cdd1104a61f54466885ab13ef6a0b3b76d2169698b35a34da56c516b');
INSERT INTO "audit" VALUES(1,27,1768201200000000,'job:reminder.weekly:2026-01-12T07:00:00+00:00','job','{"notices":0}','cc39d8d51f4bee5d51f63e022e72310cc4dab2bdafb8f049e4b6ec1b3105d5af');
INSERT INTO "audit" VALUES(1,28,1768201200000000,'job:digest.weekly:2026-01-12T07:00:00+00:00','job','{"notices":1}','6a8873a13438c09486215a2dc9f73d0d6a431cf172f43ec621984781eb89301e');
INSERT INTO "audit" VALUES(1,29,1768204800000000,'job:reminder.daily:2026-01-12T08:00:00+00:00','job','{"notices":0}','673e60b762834e610b6b01ca8dada9caacea8e9e91a8cac2d120a41e71e32af4');
INSERT INTO "audit" VALUES(1,30,1768208400000000,'job:inactivity:2026-01-12T09:00:00+00:00','job','{"notices":0}','a6c8cfdcc5e82c1d40752075144a1dc7938b4edbc1e55f6a268ece4f007c4333');
INSERT INTO "audit" VALUES(1,31,1768258800000000,'job:window:1:2026-01-12T23:00:00+00:00','job','{"notices":1}','22653343a3224aa33dfc2fe46e59844c6a1cab19ab9cb3d228528adbd0f1d8e6');
INSERT INTO "audit" VALUES(1,32,1768291200000000,'job:reminder.daily:2026-01-13T08:00:00+00:00','job','{"notices":0}','a4454a7552d7daea2d53d081d837e762b5d97ea27964a8afefa36b7ad8a471bb');
INSERT INTO "audit" VALUES(1,33,1768294800000000,'job:inactivity:2026-01-13T09:00:00+00:00','job','{"notices":0}','144b064327a1e117485ca8abf2bb4bc4b74131346143172a23167ff60d9c4ea3');
INSERT INTO "audit" VALUES(1,34,1768377600000000,'job:reminder.daily:2026-01-14T08:00:00+00:00','job','{"notices":0}','64ed873b003ce8204d0f7c834cb3706f98073d63145bba960dd4d58efd27cae2');
INSERT INTO "audit" VALUES(1,35,1768377600000000,'mail:8:0:0','entry','{"digest":"b308d5bd83826c232c7f178c942f155d5976fe46f57130832ace862a366495aa","number":7}','1eec0909f6463b41fe452a8adfc29b33a647babe115abc329645d56ae4b667fd');
INSERT INTO "audit" VALUES(1,36,1768377600000000,'mail:8','mail','{"member":"anna","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["ACCEPTE"]}','d0a92c70e76aec669944afc3b234665ad72469f7681b923840b8b90919b28d4a');
INSERT INTO "audit" VALUES(1,37,1768381200000000,'job:inactivity:2026-01-14T09:00:00+00:00','job','{"notices":0}','68fe9d7f26537b9ffdb655e6b759f38205813b65fd7b4ae71011682ae40dd339');
INSERT INTO "audit" VALUES(1,38,1768381200000000,'mail:9:0:0','entry','{"digest":"599d786cd9882de00eca8fc6db1bdc5a161e536add7668a818968c93aca1511f","number":8}','ce15a236fe5f8e39699b14ece8af76763ac9915c9459c4cc9eebaca4c934ae7a');
INSERT INTO "audit" VALUES(1,39,1768381200000000,'mail:9','mail','{"member":"anna","outcomes":["ok"],"reason":"","rules":[null],"state":"executed","verbs":["RESULTAT"]}','8c8c3b0e3e53dc90f2376e6f0f3504718cf6fb241d8497a4edfba8194d74e7cf');
CREATE TABLE club (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    address TEXT NOT NULL UNIQUE,
    timezone TEXT NOT NULL,
    currency TEXT NOT NULL,
    language TEXT NOT NULL,
    forum TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "club" VALUES(1,'Le club d''avant','club@example.org','Europe/Paris','EUR','fr','',1767600000000000);
CREATE TABLE complaint (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    about TEXT NOT NULL,
    complaint TEXT NOT NULL,
    filed_at INTEGER NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT;
CREATE TABLE decision (
    game_id INTEGER PRIMARY KEY REFERENCES game (id),
    manager TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_at INTEGER NOT NULL
) STRICT;
CREATE TABLE dispute (
    game_id INTEGER NOT NULL REFERENCES game (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    reason TEXT NOT NULL,
    filed_at INTEGER NOT NULL,
    changed_at INTEGER,
    PRIMARY KEY (game_id, member_id),
    FOREIGN KEY (game_id, member_id) REFERENCES participant (game_id, member_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY REFERENCES seal (entry_id) DEFERRABLE INITIALLY DEFERRED,
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    game_id INTEGER REFERENCES game (id),
    reverses INTEGER REFERENCES entry (id),
    effect_key TEXT NOT NULL,
    UNIQUE (club_id, number),
    UNIQUE (club_id, effect_key)
) STRICT;
INSERT INTO "entry" VALUES(1,1,1,'opening',1767600000000000,NULL,NULL,'open:anna:2026-01-05T09:00:00+01:00');
INSERT INTO "entry" VALUES(2,1,2,'opening',1767600000000000,NULL,NULL,'open:bela:2026-01-05T09:00:00+01:00');
INSERT INTO "entry" VALUES(3,1,3,'opening',1767600000000000,NULL,NULL,'open:carl:2026-01-05T09:00:00+01:00');
INSERT INTO "entry" VALUES(4,1,4,'opening',1767600000000000,NULL,NULL,'open:dora:2026-01-05T09:00:00+01:00');
INSERT INTO "entry" VALUES(5,1,5,'result',1767651000000000,1,NULL,'mail:3:0:0');
INSERT INTO "entry" VALUES(6,1,6,'transfer',1767686400000000,NULL,NULL,'mail:5:0:0');
INSERT INTO "entry" VALUES(7,1,7,'reversal',1768377600000000,1,5,'mail:8:0:0');
INSERT INTO "entry" VALUES(8,1,8,'result',1768381200000000,1,NULL,'mail:9:0:0');
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES member (id),
    buyin_cents INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'recent', 'arbitration', 'final', 'cancelled')),
    rulebook_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    result_at INTEGER,
    window_ends_at INTEGER,
    result_entry INTEGER,
    UNIQUE (club_id, number),
    FOREIGN KEY (club_id, rulebook_version) REFERENCES rulebook (club_id, number),
    -- A result stands exactly in these three states.
    CHECK ((state IN ('recent', 'arbitration', 'final')) = (result_entry IS NOT NULL)),
    CHECK ((result_entry IS NULL) = (result_at IS NULL)),
    CHECK ((result_entry IS NULL) = (window_ends_at IS NULL))
) STRICT;
INSERT INTO "game" VALUES(1,1,1,1,200,'recent',1,1767639600000000,1768381200000000,1769036400000000,8);
INSERT INTO "game" VALUES(2,1,2,3,100,'running',1,1767690000000000,NULL,NULL,NULL);
CREATE TABLE game_step (
    id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL REFERENCES game (id),
    at INTEGER NOT NULL,
    actor TEXT,
    kind TEXT NOT NULL,
    details_json TEXT NOT NULL
) STRICT;
INSERT INTO "game_step" VALUES(1,1,1767639600000000,'anna','created','{"buyin_cents":200,"participants":["anna","bela","carl"]}');
INSERT INTO "game_step" VALUES(2,1,1767651000000000,'anna','result','{"entry":5,"places":{"1":"bela"}}');
INSERT INTO "game_step" VALUES(3,1,1767682800000000,'carl','disputed','{}');
INSERT INTO "game_step" VALUES(4,2,1767690000000000,'carl','created','{"buyin_cents":100,"participants":["carl","dora"]}');
INSERT INTO "game_step" VALUES(5,1,1768258800000000,NULL,'arbitration','{}');
INSERT INTO "game_step" VALUES(6,1,1768377600000000,'anna','accepted','{"entry":7}');
INSERT INTO "game_step" VALUES(7,1,1768381200000000,'anna','result','{"entry":8,"places":{"1":"carl"}}');
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    source TEXT NOT NULL,
    offered TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL
        CHECK (state IN ('received', 'executed', 'answered', 'pending', 'ignored', 'quarantined')),
    reason TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    fingerprint TEXT,
    UNIQUE (club_id, offered)
) STRICT;
INSERT INTO "inbox" VALUES(1,1,'replay','619d6d7225c3fcd12f84ea93eea5f59b2cdd093253a0a0d554cb33d93dda0d47',1767639600000000,'executed','',1,'53a362c1560171829ecdeccf9d4f6aa339e70fa123fc8bbdb5b715475c4d5812');
INSERT INTO "inbox" VALUES(2,1,'replay','e79294d41bd486bd9c565c182582a69440f4f4ff6fe09930ef95050f903653e4',1767643200000000,'answered','',0,'a74d5e491d91a7190fc0391e6e1637f0463b6d3ce8ecc334b933018a7b0eb52a');
INSERT INTO "inbox" VALUES(3,1,'replay','d7c2b2aeed004d54776556a47e4c0d72c13af0dfa75bcab02391be0618af16ca',1767651000000000,'executed','',0,'6122f3adef8fc25765c2c4e61f2142d20fa45c2541748f80c83fe2b979aade0a');
INSERT INTO "inbox" VALUES(4,1,'replay','a98155583bbc9aba81080764e28d14027f8c9fc9536e3ffc190a2b8d04ecc2dc',1767682800000000,'executed','',0,'a2ea8110d2f9c0b2f24fb489c1e56d4c7b8c748f1143ec4b72916bc63ed7da28');
INSERT INTO "inbox" VALUES(5,1,'replay','9602c76aad038b7d3a0607368a7ac9e68115139812c77acb5efed7967fba9970',1767686400000000,'executed','',0,'1d5ac5a350bcb0779a7216fa8096024a258bf78f120faa3e01927d2f7f54db41');
INSERT INTO "inbox" VALUES(6,1,'replay','68976c6f9a8cebb5b56b9dfda929a143a725256726ebd8e9e1e4f3729841b965',1767688200000000,'answered','',0,'ef5e791a1528621a7434b6b47835378e5aee7ff0057aafabf21f2eb1430ee1cc');
INSERT INTO "inbox" VALUES(7,1,'replay','efd09a1b67901a6d42814e27eac39e5834200400d6e9887e93b49cc782a8e3b7',1767690000000000,'executed','',0,'51336b24cbaac1f5cc3e38be863409442e787c52682873711e2d4181ebe105c6');
INSERT INTO "inbox" VALUES(8,1,'replay','30b2f73746ae90652260ce21c8b9cc54d7db72dc20fa2276d1135428f96109cf',1768377600000000,'executed','',0,'1760d013eb2e4363d541e0f670577101049073cc24c53e01efebf4e0c97ab406');
INSERT INTO "inbox" VALUES(9,1,'replay','cbb41bf5ae4206d164dcb85884bb330ca46c9b36554390a2b2bb725f7499c046',1768381200000000,'executed','',0,'bd31ca3b56fa7cd312b964f5f756b7a296204aff847922644c49993c3405c9b2');
CREATE TABLE inbox_raw (
    inbox_id INTEGER PRIMARY KEY REFERENCES inbox (id),
    content BLOB NOT NULL
) STRICT;
INSERT INTO "inbox_raw" VALUES(1,X'46726F6D3A20616E6E61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A204D6F6E2C203035204A616E20323032362032303A30303A3030202B303130300D0A4D6573736167652D49443A203C31407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A50415254494520627579696E3D32206A6F75657572733D62656C612C6361726C0D0A');
INSERT INTO "inbox_raw" VALUES(2,X'46726F6D3A2062656C61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A204D6F6E2C203035204A616E20323032362032313A30303A3030202B303130300D0A4D6573736167652D49443A203C32407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A434F4D5054450D0A');
INSERT INTO "inbox_raw" VALUES(3,X'46726F6D3A20616E6E61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A204D6F6E2C203035204A616E20323032362032333A31303A3030202B303130300D0A4D6573736167652D49443A203C33407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A524553554C544154203120313D62656C610D0A');
INSERT INTO "inbox_raw" VALUES(4,X'46726F6D3A206361726C406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205475652C203036204A616E20323032362030383A30303A3030202B303130300D0A4D6573736167652D49443A203C34407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A434F4E544553544520310D0A6C6520636C617373656D656E742065737420666175780D0A');
INSERT INTO "inbox_raw" VALUES(5,X'46726F6D3A20646F7261406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205475652C203036204A616E20323032362030393A30303A3030202B303130300D0A4D6573736167652D49443A203C35407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20386269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A564952454D454E5420312C353020C3A0206361726C0D0A');
INSERT INTO "inbox_raw" VALUES(6,X'46726F6D3A2062656C61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205475652C203036204A616E20323032362030393A33303A3030202B303130300D0A4D6573736167652D49443A203C36407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A414944450D0A');
INSERT INTO "inbox_raw" VALUES(7,X'46726F6D3A206361726C406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205475652C203036204A616E20323032362031303A30303A3030202B303130300D0A4D6573736167652D49443A203C37407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A504152544945206A6F75657572733D646F72610D0A');
INSERT INTO "inbox_raw" VALUES(8,X'46726F6D3A20616E6E61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205765642C203134204A616E20323032362030393A30303A3030202B303130300D0A4D6573736167652D49443A203C38407265706C61792E6578616D706C653E0D0A496E2D5265706C792D546F3A203C65633730663831663734333066383432343737306463396565353335333832323239393063373933406578616D706C652E6F72673E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A4143434550544520657272657572206465207361697369650D0A');
INSERT INTO "inbox_raw" VALUES(9,X'46726F6D3A20616E6E61406578616D706C652E6F72670D0A546F3A20636C7562406578616D706C652E6F72670D0A446174653A205765642C203134204A616E20323032362031303A30303A3030202B303130300D0A4D6573736167652D49443A203C39407265706C61792E6578616D706C653E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A524553554C544154203120313D6361726C0D0A');
CREATE TABLE injunction (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    spell_started_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'launched', 'settled')),
    unplaced_cents INTEGER NOT NULL,
    proposed_at INTEGER NOT NULL,
    launched_at INTEGER,
    launched_by TEXT,
    due_at INTEGER,
    overdue_told INTEGER NOT NULL DEFAULT 0 CHECK (overdue_told IN (0, 1)),
    UNIQUE (member_id, spell_started_at)
) STRICT;
CREATE TABLE injunction_line (
    injunction_id INTEGER NOT NULL REFERENCES injunction (id),
    position INTEGER NOT NULL,
    giver_id INTEGER NOT NULL REFERENCES member (id),
    beneficiary_id INTEGER NOT NULL REFERENCES member (id),
    amount_cents INTEGER NOT NULL,
    paid_cents INTEGER NOT NULL CHECK (paid_cents BETWEEN 0 AND amount_cents),
    PRIMARY KEY (injunction_id, position),
    UNIQUE (injunction_id, giver_id, beneficiary_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE invitation (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    handle TEXT NOT NULL,
    folded TEXT NOT NULL,
    address TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    invited_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'superseded'))
) STRICT;
CREATE TABLE member (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    handle TEXT NOT NULL,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'banned', 'left')),
    manager INTEGER NOT NULL CHECK (manager IN (0, 1)),
    joined_at INTEGER NOT NULL,
    account_id INTEGER NOT NULL UNIQUE REFERENCES account (id),
    opening_entry INTEGER NOT NULL,
    banned_at INTEGER,
    banned_by TEXT,
    ban_reason TEXT NOT NULL DEFAULT '',
    left_at INTEGER,
    UNIQUE (club_id, folded)
) STRICT;
INSERT INTO "member" VALUES(1,1,'anna','anna','anna','fr','active',1,1767600000000000,2,1,NULL,NULL,'',NULL);
INSERT INTO "member" VALUES(2,1,'bela','bela','bela','fr','active',0,1767600000000000,3,2,NULL,NULL,'',NULL);
INSERT INTO "member" VALUES(3,1,'carl','carl','carl','fr','active',0,1767600000000000,4,3,NULL,NULL,'',NULL);
INSERT INTO "member" VALUES(4,1,'dora','dora','dora','fr','active',0,1767600000000000,5,4,NULL,NULL,'',NULL);
CREATE TABLE memo (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id),
    memo TEXT NOT NULL
) STRICT;
CREATE TABLE nudge (
    member_id INTEGER NOT NULL REFERENCES member (id),
    spell_started_at INTEGER NOT NULL,
    months INTEGER NOT NULL,
    PRIMARY KEY (member_id, spell_started_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    cause TEXT NOT NULL,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    about TEXT NOT NULL,
    address TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    game INTEGER,
    in_reply_to TEXT,
    token_id INTEGER REFERENCES token (id),
    message_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    last_error TEXT NOT NULL DEFAULT '',
    sent_at INTEGER,
    UNIQUE (club_id, cause, kind, recipient, about),
    UNIQUE (club_id, message_id)
) STRICT;
INSERT INTO "outbox" VALUES(1,1,'mail:1','answer','anna','','anna@example.org','La partie 1 est créée','La partie 1 est créée

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Les autres joueurs sont prévenus. Ta mise de 2,00 € est engagée, mais pas
encore débitée. Après la partie, enregistre le résultat :

    RESULTAT 1 1=pseudo

Pour la changer d''ici là, ou pour l''annuler :

    MODIFIE 1 buyin=5 +pseudo -pseudo
    ANNULE 1

Ton solde : 200,00 € (engagé : 2,00 €). Ton disponible : 198,00 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',1,'<1@replay.example>',NULL,'<ca007d54313335dfb4054571f95aa877f774edeb@example.org>',1767639600000000,'queued',0,1767639600000000,'',NULL);
INSERT INTO "outbox" VALUES(2,1,'mail:1:0','game.created','bela','1','bela@example.org','Tu joues dans la partie 1, créée par anna (mise : 2,00 €)','anna t''a inscrit à la partie 1.

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Ta mise de 2,00 € est engagée, mais pas encore débitée : elle le sera
quand anna enregistrera le résultat.

Ton solde : 200,00 € (engagé : 2,00 €). Ton disponible : 198,00 €.

Ce n''est pas prévu ? Dis-le à anna, qui peut changer ou annuler la partie
tant que le résultat n''est pas enregistré. Pour suivre la partie :

    POURQUOI 1
',1,NULL,NULL,'<9aef82a6d2e5ef472ef84f3e652c56b223d44bf6@example.org>',1767639600000000,'queued',0,1767639600000000,'',NULL);
INSERT INTO "outbox" VALUES(3,1,'mail:1:0','game.created','carl','1','carl@example.org','Tu joues dans la partie 1, créée par anna (mise : 2,00 €)','anna t''a inscrit à la partie 1.

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Ta mise de 2,00 € est engagée, mais pas encore débitée : elle le sera
quand anna enregistrera le résultat.

Ton solde : 200,00 € (engagé : 2,00 €). Ton disponible : 198,00 €.

Ce n''est pas prévu ? Dis-le à anna, qui peut changer ou annuler la partie
tant que le résultat n''est pas enregistré. Pour suivre la partie :

    POURQUOI 1
',1,NULL,NULL,'<4197d7f4d60df463affbec27a37599ab041d8dfa@example.org>',1767639600000000,'queued',0,1767639600000000,'',NULL);
INSERT INTO "outbox" VALUES(4,1,'mail:2','answer','bela','','bela@example.org','Ton relevé : solde 200,00 €, disponible 198,00 €','Ton relevé : solde 200,00 €, disponible 198,00 €

Depuis l''ouverture de ton compte :

    date        opération                                montant        solde
                solde de départ                                        0,00 €
    05/01/2026  crédit initial                         +200,00 €     200,00 €
                solde de fin                                         200,00 €

Engagé : 2,00 €, dans cette partie en cours :

    partie 1        2,00 €

Ton disponible est donc de 198,00 € aujourd''hui.

Pour une autre période :

    COMPTE depuis=2026-01-01 jusque=2026-01-31

Ton solde : 200,00 € (engagé : 2,00 €). Ton disponible : 198,00 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',NULL,'<2@replay.example>',NULL,'<0e52268463e1e1cc02b8acc17cd4f6636d5cefbc@example.org>',1767643200000000,'queued',0,1767643200000000,'',NULL);
INSERT INTO "outbox" VALUES(5,1,'mail:3:0','game.result','anna','1','anna@example.org','Tu as perdu 2,00 € – partie 1','Tu as perdu 2,00 € à la partie 1 : ton solde est de 198,00 €.

Le résultat, enregistré par anna :

    1er  bela     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : pas de gain, mise de 2,00 €, soit −2,00 €.

Ton solde : 198,00 €. Ton disponible : 198,00 €.

Les autres joueurs peuvent contester ce résultat jusqu''au lundi 12 janvier
2026 inclus. Après ce jour, sans contestation, il est définitif. Tu ne
peux plus le changer toi-même.
',1,'<3@replay.example>',NULL,'<c5941f689191c06192669aed846b9495179b4be8@example.org>',1767651000000000,'queued',0,1767651000000000,'',NULL);
INSERT INTO "outbox" VALUES(6,1,'mail:3:0','game.result','bela','1','bela@example.org','Tu as gagné 4,00 € – partie 1','Tu as gagné 4,00 € à la partie 1 : ton solde est de 204,00 €.

Le résultat, enregistré par anna :

    1er  bela     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : gain de 6,00 €, mise de 2,00 €, soit +4,00 €.

Ton solde : 204,00 €. Ton disponible : 204,00 €.

Ce résultat est faux ? Tu peux le contester jusqu''au lundi 12 janvier 2026
inclus, en répondant à ce mail :

    CONTESTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif. Sans contestation,
le résultat est définitif après ce jour.
',1,NULL,NULL,'<3e88448041f8ce49627e9e4721927c7e2d5da4cd@example.org>',1767651000000000,'queued',0,1767651000000000,'',NULL);
INSERT INTO "outbox" VALUES(7,1,'mail:3:0','game.result','carl','1','carl@example.org','Tu as perdu 2,00 € – partie 1','Tu as perdu 2,00 € à la partie 1 : ton solde est de 198,00 €.

Le résultat, enregistré par anna :

    1er  bela     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : pas de gain, mise de 2,00 €, soit −2,00 €.

Ton solde : 198,00 €. Ton disponible : 198,00 €.

Ce résultat est faux ? Tu peux le contester jusqu''au lundi 12 janvier 2026
inclus, en répondant à ce mail :

    CONTESTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif. Sans contestation,
le résultat est définitif après ce jour.
',1,NULL,NULL,'<0d6bb104f2d52c7aa3e38c28c0d964daaa59d652@example.org>',1767651000000000,'queued',0,1767651000000000,'',NULL);
INSERT INTO "outbox" VALUES(8,1,'mail:4','answer','carl','','carl@example.org','Ta contestation est notée – partie 1','Ta contestation est notée – partie 1

Les autres joueurs ont reçu ton motif tel que tu l''as écrit :

    « le classement est faux »

Tu peux le remplacer ou le retirer jusqu''au lundi 12 janvier 2026 inclus :

    CONTESTE 1 le nouveau motif
    RETIRE 1

Après ce jour, le gestionnaire tranche, et tous les joueurs reçoivent sa
décision.

Ton solde : 198,00 €. Ton disponible : 198,00 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',1,'<4@replay.example>',NULL,'<3994e164028c911a45af27017e6fc41863c4088b@example.org>',1767682800000000,'queued',0,1767682800000000,'',NULL);
INSERT INTO "outbox" VALUES(9,1,'mail:4:0','dispute.filed','anna','1','anna@example.org','carl conteste le résultat de la partie 1','carl conteste le résultat de la partie 1. Son motif :

    « le classement est faux »

Ton compte ne change pas pour l''instant. Ton solde : 198,00 €.
Ton disponible : 198,00 €.

Le délai court jusqu''au lundi 12 janvier 2026 inclus. S''il reste alors une
contestation, le gestionnaire décide ; sinon le résultat est définitif.

Tu as créé cette partie : tu ne peux ni contester son résultat ni le
changer. Mets-toi d''accord avec carl, qui peut retirer sa contestation.
',1,NULL,NULL,'<0756c1fe1a257de09a3d0b16f3c77c36b58273fb@example.org>',1767682800000000,'queued',0,1767682800000000,'',NULL);
INSERT INTO "outbox" VALUES(10,1,'mail:4:0','dispute.filed','bela','1','bela@example.org','carl conteste le résultat de la partie 1','carl conteste le résultat de la partie 1. Son motif :

    « le classement est faux »

Ton compte ne change pas pour l''instant. Ton solde : 204,00 €.
Ton disponible : 204,00 €.

Le délai court jusqu''au lundi 12 janvier 2026 inclus. S''il reste alors une
contestation, le gestionnaire décide ; sinon le résultat est définitif.

Tu es du même avis, pour un autre motif ? Réponds à ce mail avant la fin
du délai :

    CONTESTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif.

Tu n''es pas d''accord avec carl ? Écris-lui directement.
',1,NULL,NULL,'<35300c2bfa367416e2a3d37912fe961d974c533f@example.org>',1767682800000000,'queued',0,1767682800000000,'',NULL);
INSERT INTO "outbox" VALUES(11,1,'mail:5','answer','dora','','dora@example.org','Tu as viré 1,50 € à carl','Tu as viré 1,50 € à carl

Ton compte est débité de 1,50 €, et carl reçoit la somme et un mail.

Vous répondez seuls, tous les deux, de ce virement et de ce qui a été
remis hors du club ; ni le club ni son gestionnaire n''y sont pour rien.

Ton solde : 198,50 €. Ton disponible : 198,50 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',NULL,'<5@replay.example>',NULL,'<d62d398a0e9a6736200c201e7964da55f347866f@example.org>',1767686400000000,'queued',0,1767686400000000,'',NULL);
INSERT INTO "outbox" VALUES(12,1,'mail:5:0','transfer.received','carl','','carl@example.org','Tu as reçu 1,50 € de dora','dora t''a viré 1,50 € : ton solde est de 199,50 €.

Ton solde : 199,50 €. Ton disponible : 199,50 €.

Tu n''as rien à faire si la somme correspond à ce que tu as remis à dora
hors du club. Sinon, vois-le directement ensemble : vous répondez seuls,
tous les deux, de ce virement ; ni le club ni son gestionnaire n''y sont
pour rien. Tu peux rendre une somme reçue par erreur :

    VIREMENT 1,50 € à dora
',NULL,NULL,NULL,'<df850762c16097db2a457251f9784e15c18334cf@example.org>',1767686400000000,'queued',0,1767686400000000,'',NULL);
INSERT INTO "outbox" VALUES(13,1,'mail:6','answer','bela','','bela@example.org','Les commandes du club','Les commandes du club

Écris-les à club@example.org, une par ligne, en majuscules ou en
minuscules, avec ou sans accents, dans le texte du mail ou dans son objet.

POUR AGIR

    PARTIE buyin=2 joueurs=anna,bela
        Crée une partie ; avec 1=… 2=…, elle naît avec son résultat.
    MODIFIE 12 buyin=5 +carl -bela
        Change la mise ou les joueurs de ta partie en cours.
    ANNULE 12
        Annule ta partie en cours.
    RESULTAT 12 1=anna 2=bela
        Enregistre le résultat de ta partie (sans numéro : celle créée
        juste au-dessus).
    CONTESTE 12 le motif de la contestation
        Conteste un résultat, ou remplace le motif de ta contestation.
    RETIRE 12
        Retire ta contestation.
    VIREMENT 15 à carl
        Vire une somme à un autre membre qui t''a réglé hors du club.
    QUITTE
        Ferme ton compte et quitte le club.
    PLAINTE bela le motif de la plainte
        Adresse au gestionnaire seul une plainte sur un membre.

POUR REGARDER

    BANQUIERS
        Montre qui peut te virer du crédit, et jusqu''à combien.
    JOUEURS
        Montre les membres et qui peut jouer.
    PARTIES
        Montre les parties qui ne sont pas closes.
    COMPTE depuis=2026-01-01
        Montre ton relevé : opérations, solde, engagé, disponible.
    HISTORIQUE depuis=2026-01-01
        Montre tes parties.
    POURQUOI 12
        Raconte une partie pas à pas ; POURQUOI mail 35 : comment un mail
        a été lu.
    REGLEMENT
        Montre le règlement et ses chiffres.
    AIDE VIREMENT
        Montre cette aide.

POUR RÉPONDRE AU CLUB

    OUI
        Confirme ce que le club vient de te montrer.
    NON
        Renonce à ce que le club vient de te montrer.
    JETON
        Renvoie la confirmation qui t''attend.
    FIN
        Annule toutes les confirmations qui t''attendent.

POUR ESSAYER

    SIMULE VIREMENT 15 à carl
        Montre ce que ferait une commande, sans rien changer.

Le détail d''une commande :

    AIDE VIREMENT

Une question ? Pose-la à anna.

Ton solde : 204,00 €. Ton disponible : 204,00 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',NULL,'<6@replay.example>',NULL,'<063f38888ca6d348b6818144f00cfe0c0e5e64a8@example.org>',1767688200000000,'queued',0,1767688200000000,'',NULL);
INSERT INTO "outbox" VALUES(14,1,'mail:7','answer','carl','','carl@example.org','La partie 2 est créée','La partie 2 est créée

Mise de 1,00 €, 2 joueurs, pot de 2,00 € :

    carl et dora

Les autres joueurs sont prévenus. Ta mise de 1,00 € est engagée, mais pas
encore débitée. Après la partie, enregistre le résultat :

    RESULTAT 2 1=pseudo

Pour la changer d''ici là, ou pour l''annuler :

    MODIFIE 2 buyin=5 +pseudo -pseudo
    ANNULE 2

Ton solde : 199,50 € (engagé : 1,00 €). Ton disponible : 198,50 €.
(Le mot AIDE, seul dans un mail, te donne la liste des commandes.)
',2,'<7@replay.example>',NULL,'<fc99f004e14510a5d45e1f293156c35bd5f4f589@example.org>',1767690000000000,'queued',0,1767690000000000,'',NULL);
INSERT INTO "outbox" VALUES(15,1,'mail:7:0','game.created','dora','2','dora@example.org','Tu joues dans la partie 2, créée par carl (mise : 1,00 €)','carl t''a inscrit à la partie 2.

Mise de 1,00 €, 2 joueurs, pot de 2,00 € :

    carl et dora

Ta mise de 1,00 € est engagée, mais pas encore débitée : elle le sera
quand carl enregistrera le résultat.

Ton solde : 198,50 € (engagé : 1,00 €). Ton disponible : 197,50 €.

Ce n''est pas prévu ? Dis-le à carl, qui peut changer ou annuler la partie
tant que le résultat n''est pas enregistré. Pour suivre la partie :

    POURQUOI 2
',2,NULL,NULL,'<4fc18fd7481f1fd5180ad60323e72cf80a660a4e@example.org>',1767690000000000,'queued',0,1767690000000000,'',NULL);
INSERT INTO "outbox" VALUES(16,1,'job:digest.weekly:2026-01-12T07:00:00+00:00','digest.weekly','anna','','anna@example.org','Ta semaine : −2,00 €, solde 198,00 €','Rien ne t''attend comme gestionnaire.

TOI

Ton solde est de 198,00 € (−2,00 € depuis le lundi 5 janvier 2026). Ton
disponible est de 198,00 € : tu peux jouer.

LES DÉLAIS DE CONTESTATION QUI FINISSENT

    n° 1     jusqu''au lundi 12 janvier 2026 inclus

LES RÉSULTATS DE LA SEMAINE

    n° 1     05/01/2026  mise   2,00 €   3 joueurs
             payés : bela

LES SOLDES DU CLUB, ET LEUR SEMAINE

    bela     204,00 €      +4,00 €
    carl     199,50 €      −0,50 €
    dora     198,50 €      −1,50 €
    anna     198,00 €      −2,00 €  ← toi

LES BANQUIERS, ET CE QUE CHACUN PEUT VIRER

    bela  jusqu''à   154,00 €
    carl  jusqu''à   148,00 €
    anna  jusqu''à   148,00 €
    dora  jusqu''à   147,00 €

LE CONTRÔLE

La somme des écritures est nulle. Garde ce mail : il témoigne de l''état
des livres à ce jour, par leur empreinte :

    cc39d8d51f4bee5d
',NULL,NULL,NULL,'<993e16eed658456ef2b63cd2d7d2a0cf28195a0b@example.org>',1768201200000000,'queued',0,1768201200000000,'',NULL);
INSERT INTO "outbox" VALUES(17,1,'job:digest.weekly:2026-01-12T07:00:00+00:00','digest.weekly','bela','','bela@example.org','Ta semaine : +4,00 €, solde 204,00 €','TOI

Ton solde est de 204,00 € (+4,00 € depuis le lundi 5 janvier 2026). Ton
disponible est de 204,00 € : tu peux jouer.

LES DÉLAIS DE CONTESTATION QUI FINISSENT

    n° 1     jusqu''au lundi 12 janvier 2026 inclus
             tu y as joué ; pour contester :
             CONTESTE 1 le motif

LES RÉSULTATS DE LA SEMAINE

    n° 1     05/01/2026  mise   2,00 €   3 joueurs
             payés : bela

LES SOLDES DU CLUB, ET LEUR SEMAINE

    bela     204,00 €      +4,00 €  ← toi
    carl     199,50 €      −0,50 €
    dora     198,50 €      −1,50 €
    anna     198,00 €      −2,00 €

LES BANQUIERS, ET CE QUE CHACUN PEUT VIRER

    bela  jusqu''à   154,00 €
    carl  jusqu''à   148,00 €
    anna  jusqu''à   148,00 €
    dora  jusqu''à   147,00 €

LE CONTRÔLE

La somme des écritures est nulle. Garde ce mail : il témoigne de l''état
des livres à ce jour, par leur empreinte :

    cc39d8d51f4bee5d
',NULL,NULL,NULL,'<16fb220fbdad86f457b2a1078ba15b1e6ef0d753@example.org>',1768201200000000,'queued',0,1768201200000000,'',NULL);
INSERT INTO "outbox" VALUES(18,1,'job:digest.weekly:2026-01-12T07:00:00+00:00','digest.weekly','carl','','carl@example.org','Ta semaine : −0,50 €, solde 199,50 €','TOI

Ton solde est de 199,50 € (−0,50 € depuis le lundi 5 janvier 2026). Tu as
1,00 € engagés dans des parties en cours. Ton disponible est de 198,50 € :
tu peux jouer.

LES DÉLAIS DE CONTESTATION QUI FINISSENT

    n° 1     jusqu''au lundi 12 janvier 2026 inclus
             tu y as joué ; pour contester :
             CONTESTE 1 le motif

LES RÉSULTATS DE LA SEMAINE

    n° 1     05/01/2026  mise   2,00 €   3 joueurs
             payés : bela

LES SOLDES DU CLUB, ET LEUR SEMAINE

    bela     204,00 €      +4,00 €
    carl     199,50 €      −0,50 €  ← toi
    dora     198,50 €      −1,50 €
    anna     198,00 €      −2,00 €

LES BANQUIERS, ET CE QUE CHACUN PEUT VIRER

    bela  jusqu''à   154,00 €
    carl  jusqu''à   148,00 €
    anna  jusqu''à   148,00 €
    dora  jusqu''à   147,00 €

LE CONTRÔLE

La somme des écritures est nulle. Garde ce mail : il témoigne de l''état
des livres à ce jour, par leur empreinte :

    cc39d8d51f4bee5d
',NULL,NULL,NULL,'<1c39e80fc0899fa19014743a8f16af1ca7f70f5f@example.org>',1768201200000000,'queued',0,1768201200000000,'',NULL);
INSERT INTO "outbox" VALUES(19,1,'job:digest.weekly:2026-01-12T07:00:00+00:00','digest.weekly','dora','','dora@example.org','Ta semaine : −1,50 €, solde 198,50 €','TOI

Ton solde est de 198,50 € (−1,50 € depuis le lundi 5 janvier 2026). Tu as
1,00 € engagés dans des parties en cours. Ton disponible est de 197,50 € :
tu peux jouer.

LES DÉLAIS DE CONTESTATION QUI FINISSENT

    n° 1     jusqu''au lundi 12 janvier 2026 inclus

LES RÉSULTATS DE LA SEMAINE

    n° 1     05/01/2026  mise   2,00 €   3 joueurs
             payés : bela

LES SOLDES DU CLUB, ET LEUR SEMAINE

    bela     204,00 €      +4,00 €
    carl     199,50 €      −0,50 €
    dora     198,50 €      −1,50 €  ← toi
    anna     198,00 €      −2,00 €

LES BANQUIERS, ET CE QUE CHACUN PEUT VIRER

    bela  jusqu''à   154,00 €
    carl  jusqu''à   148,00 €
    anna  jusqu''à   148,00 €
    dora  jusqu''à   147,00 €

LE CONTRÔLE

La somme des écritures est nulle. Garde ce mail : il témoigne de l''état
des livres à ce jour, par leur empreinte :

    cc39d8d51f4bee5d
',NULL,NULL,NULL,'<419969ea954dda67dc7081dc5d0b07a79bb7da58@example.org>',1768201200000000,'queued',0,1768201200000000,'',NULL);
INSERT INTO "outbox" VALUES(20,1,'job:window:1:2026-01-12T23:00:00+00:00','arbitration.opened','anna','1','anna@example.org','À toi de décider : partie 1 contestée','Le délai de la partie 1 est passé, et son résultat reste contesté : à toi
de décider.

ATTENTION : tu as joué cette partie, tu juges donc ta propre affaire.
Aucun autre gestionnaire n''est hors de cause. Écris un motif que tous
les joueurs puissent comprendre.

La partie, créée par anna :

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Le résultat enregistré le lundi 5 janvier 2026 :

    1er  bela

Ce qu''en disent les joueurs :

    carl, le mardi 6 janvier 2026 à 08:00 :
    « le classement est faux »

Réponds à ce mail par l''une des deux lignes qui suivent, avec ton motif.

Pour donner raison aux contestations (les écritures sont annulées et anna
corrige la partie) :

    ACCEPTE 1 le motif

Pour leur donner tort (le résultat devient définitif) :

    REJETTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif. Ta décision et son
motif sont envoyés à tous les joueurs, et elle est sans retour. Il n''y a
pas de date limite ; ton bilan de la semaine te rappelle l''affaire.

Ton solde : 198,00 €. Ton disponible : 198,00 €.
',1,NULL,NULL,'<ec70f81f7430f8424770dc9ee53538222990c793@example.org>',1768258800000000,'queued',0,1768258800000000,'',NULL);
INSERT INTO "outbox" VALUES(21,1,'mail:8:0','arbitration.decided','anna','1','anna@example.org','Contestation acceptée, résultat repris – partie 1','anna a accepté la contestation : le résultat de la partie 1 est repris, et
la partie est de nouveau en cours. Le motif de la décision :

    « erreur de saisie »

(anna a joué cette partie ; aucun autre gestionnaire n''était hors de
cause.)

La décision porte sur :

    carl, le mardi 6 janvier 2026 à 08:00 :
    « le classement est faux »

Le résultat contesté :

    1er  bela

Les écritures de la partie sont annulées sur ton compte, mise et gain :
+2,00 €. Ton solde : 200,00 € (engagé : 2,00 €).
Ton disponible : 198,00 €.

Garde ce mail : le club n''en conserve ni les contestations, ni le motif de
la décision.

À toi : change la partie si besoin, puis enregistre le bon résultat :

    MODIFIE 1 +pseudo -pseudo
    RESULTAT 1 1=pseudo
',1,'<8@replay.example>',NULL,'<5e45cc15bfb068748545e706024c9a29ed85b291@example.org>',1768377600000000,'queued',0,1768377600000000,'',NULL);
INSERT INTO "outbox" VALUES(22,1,'mail:8:0','arbitration.decided','bela','1','bela@example.org','Contestation acceptée, résultat repris – partie 1','anna a accepté la contestation : le résultat de la partie 1 est repris, et
la partie est de nouveau en cours. Le motif de la décision :

    « erreur de saisie »

(anna a joué cette partie ; aucun autre gestionnaire n''était hors de
cause.)

La décision porte sur :

    carl, le mardi 6 janvier 2026 à 08:00 :
    « le classement est faux »

Le résultat contesté :

    1er  bela

Les écritures de la partie sont annulées sur ton compte, mise et gain :
−4,00 €. Ton solde : 200,00 € (engagé : 2,00 €).
Ton disponible : 198,00 €.

Garde ce mail : le club n''en conserve ni les contestations, ni le motif de
la décision.

La suite revient à anna : changer la partie si besoin, puis enregistrer le
bon résultat. Tu recevras alors un nouveau mail.
',1,NULL,NULL,'<1925e00a2ffe776a5992cbfd77116389d9c90ee3@example.org>',1768377600000000,'queued',0,1768377600000000,'',NULL);
INSERT INTO "outbox" VALUES(23,1,'mail:8:0','arbitration.decided','carl','1','carl@example.org','Contestation acceptée, résultat repris – partie 1','anna a accepté la contestation : le résultat de la partie 1 est repris, et
la partie est de nouveau en cours. Le motif de la décision :

    « erreur de saisie »

(anna a joué cette partie ; aucun autre gestionnaire n''était hors de
cause.)

La décision porte sur :

    carl, le mardi 6 janvier 2026 à 08:00 :
    « le classement est faux »

Le résultat contesté :

    1er  bela

Les écritures de la partie sont annulées sur ton compte, mise et gain :
+2,00 €. Ton solde : 201,50 € (engagé : 3,00 €).
Ton disponible : 198,50 €.

Garde ce mail : le club n''en conserve ni les contestations, ni le motif de
la décision.

La suite revient à anna : changer la partie si besoin, puis enregistrer le
bon résultat. Tu recevras alors un nouveau mail.
',1,NULL,NULL,'<477ecb8c7df3c0b11e2714a57dc02060484e5334@example.org>',1768377600000000,'queued',0,1768377600000000,'',NULL);
INSERT INTO "outbox" VALUES(24,1,'mail:9:0','game.result','anna','1','anna@example.org','Tu as perdu 2,00 € – partie 1','Tu as perdu 2,00 € à la partie 1 : ton solde est de 198,00 €.

Le résultat, enregistré par anna :

    1er  carl     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : pas de gain, mise de 2,00 €, soit −2,00 €.

Ton solde : 198,00 €. Ton disponible : 198,00 €.

Les autres joueurs peuvent contester ce résultat jusqu''au mercredi 21
janvier 2026 inclus. Après ce jour, sans contestation, il est définitif.
Tu ne peux plus le changer toi-même.
',1,'<9@replay.example>',NULL,'<80c6062f2802692c9895fc2015366aedb0e9482a@example.org>',1768381200000000,'queued',0,1768381200000000,'',NULL);
INSERT INTO "outbox" VALUES(25,1,'mail:9:0','game.result','bela','1','bela@example.org','Tu as perdu 2,00 € – partie 1','Tu as perdu 2,00 € à la partie 1 : ton solde est de 198,00 €.

Le résultat, enregistré par anna :

    1er  carl     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : pas de gain, mise de 2,00 €, soit −2,00 €.

Ton solde : 198,00 €. Ton disponible : 198,00 €.

Ce résultat est faux ? Tu peux le contester jusqu''au mercredi 21 janvier
2026 inclus, en répondant à ce mail :

    CONTESTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif. Sans contestation,
le résultat est définitif après ce jour.
',1,NULL,NULL,'<f56acea3fb7aee6d18089b1e94cb52b9dcdb59d0@example.org>',1768381200000000,'queued',0,1768381200000000,'',NULL);
INSERT INTO "outbox" VALUES(26,1,'mail:9:0','game.result','carl','1','carl@example.org','Tu as gagné 4,00 € – partie 1','Tu as gagné 4,00 € à la partie 1 : ton solde est de 205,50 €.

Le résultat, enregistré par anna :

    1er  carl     +6,00 €

Mise de 2,00 €, 3 joueurs, pot de 6,00 € :

    anna, bela et carl

Pour toi : gain de 6,00 €, mise de 2,00 €, soit +4,00 €.

Ton solde : 205,50 € (engagé : 1,00 €). Ton disponible : 204,50 €.

Ce résultat est faux ? Tu peux le contester jusqu''au mercredi 21 janvier
2026 inclus, en répondant à ce mail :

    CONTESTE 1 le motif

Dans une réponse à ce mail, le numéro est facultatif. Sans contestation,
le résultat est définitif après ce jour.
',1,NULL,NULL,'<e18734400ad36f188759a2209cb7345eb05171ab@example.org>',1768381200000000,'queued',0,1768381200000000,'',NULL);
CREATE TABLE participant (
    game_id INTEGER NOT NULL REFERENCES game (id),
    member_id INTEGER NOT NULL REFERENCES member (id),
    position INTEGER NOT NULL,
    place INTEGER,
    PRIMARY KEY (game_id, member_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "participant" VALUES(1,1,1,NULL);
INSERT INTO "participant" VALUES(1,2,2,NULL);
INSERT INTO "participant" VALUES(1,3,3,1);
INSERT INTO "participant" VALUES(2,3,1,NULL);
INSERT INTO "participant" VALUES(2,4,2,NULL);
CREATE TABLE posting (
    entry_id INTEGER NOT NULL REFERENCES entry (id),
    line INTEGER NOT NULL,
    account_id INTEGER NOT NULL REFERENCES account (id),
    at INTEGER NOT NULL,
    amount_cents INTEGER NOT NULL,
    PRIMARY KEY (entry_id, line)
) STRICT, WITHOUT ROWID;
INSERT INTO "posting" VALUES(1,2,1,1767600000000000,-20000);
INSERT INTO "posting" VALUES(2,2,1,1767600000000000,-20000);
INSERT INTO "posting" VALUES(3,2,1,1767600000000000,-20000);
INSERT INTO "posting" VALUES(4,2,1,1767600000000000,-20000);
INSERT INTO "posting" VALUES(1,1,2,1767600000000000,20000);
INSERT INTO "posting" VALUES(5,1,2,1767651000000000,-200);
INSERT INTO "posting" VALUES(7,1,2,1768377600000000,200);
INSERT INTO "posting" VALUES(8,1,2,1768381200000000,-200);
INSERT INTO "posting" VALUES(2,1,3,1767600000000000,20000);
INSERT INTO "posting" VALUES(5,2,3,1767651000000000,-200);
INSERT INTO "posting" VALUES(5,4,3,1767651000000000,600);
INSERT INTO "posting" VALUES(7,2,3,1768377600000000,200);
INSERT INTO "posting" VALUES(7,4,3,1768377600000000,-600);
INSERT INTO "posting" VALUES(8,2,3,1768381200000000,-200);
INSERT INTO "posting" VALUES(3,1,4,1767600000000000,20000);
INSERT INTO "posting" VALUES(5,3,4,1767651000000000,-200);
INSERT INTO "posting" VALUES(6,2,4,1767686400000000,150);
INSERT INTO "posting" VALUES(7,3,4,1768377600000000,200);
INSERT INTO "posting" VALUES(8,3,4,1768381200000000,-200);
INSERT INTO "posting" VALUES(8,4,4,1768381200000000,600);
INSERT INTO "posting" VALUES(4,1,5,1767600000000000,20000);
INSERT INTO "posting" VALUES(6,1,5,1767686400000000,-150);
CREATE TABLE rulebook (
    club_id INTEGER NOT NULL REFERENCES club (id),
    number INTEGER NOT NULL,
    values_json TEXT NOT NULL,
    since_at INTEGER NOT NULL,
    author TEXT,
    reason TEXT NOT NULL,
    PRIMARY KEY (club_id, number)
) STRICT;
INSERT INTO "rulebook" VALUES(1,1,'{"buyin_default_cents": 100, "buyins_cents": [100, 200, 300, 500, 1000], "decision_confirm_hours": 12, "dispute_window_days": 7, "initial_credit_cents": 20000, "injunction_due_days": 30, "nudge_after_months": 6, "nudge_every_months": 1, "participants_max": 10, "participants_min": 2, "payouts": [{"participants_max": 3, "shares_percent": [100]}, {"participants_max": 6, "shares_percent": [60, 40]}, {"participants_max": 10, "shares_percent": [50, 30, 20]}], "proposal_after_months": 12, "reminder_daily_below_cents": 1000, "reminder_weekly_below_cents": 2000, "reserve_threshold_cents": 5000, "transfer_min_cents": 1, "workflow": "friends"}',1767600000000000,NULL,'');
CREATE TABLE run (
    club_id INTEGER NOT NULL REFERENCES club (id),
    job TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    ran_at INTEGER NOT NULL,
    PRIMARY KEY (club_id, job, due_at)
) STRICT, WITHOUT ROWID;
INSERT INTO "run" VALUES(1,'digest.weekly',1767596400000000,1767600000000000);
INSERT INTO "run" VALUES(1,'digest.weekly',1768201200000000,1768201200000000);
INSERT INTO "run" VALUES(1,'inactivity',1767517200000000,1767600000000000);
INSERT INTO "run" VALUES(1,'inactivity',1767603600000000,1767603600000000);
INSERT INTO "run" VALUES(1,'inactivity',1767690000000000,1767690000000000);
INSERT INTO "run" VALUES(1,'inactivity',1767776400000000,1767776400000000);
INSERT INTO "run" VALUES(1,'inactivity',1767862800000000,1767862800000000);
INSERT INTO "run" VALUES(1,'inactivity',1767949200000000,1767949200000000);
INSERT INTO "run" VALUES(1,'inactivity',1768035600000000,1768035600000000);
INSERT INTO "run" VALUES(1,'inactivity',1768122000000000,1768122000000000);
INSERT INTO "run" VALUES(1,'inactivity',1768208400000000,1768208400000000);
INSERT INTO "run" VALUES(1,'inactivity',1768294800000000,1768294800000000);
INSERT INTO "run" VALUES(1,'inactivity',1768381200000000,1768381200000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1767600000000000,1767600000000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1767686400000000,1767686400000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1767772800000000,1767772800000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1767859200000000,1767859200000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1767945600000000,1767945600000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1768032000000000,1768032000000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1768118400000000,1768118400000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1768204800000000,1768204800000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1768291200000000,1768291200000000);
INSERT INTO "run" VALUES(1,'reminder.daily',1768377600000000,1768377600000000);
INSERT INTO "run" VALUES(1,'reminder.weekly',1767596400000000,1767600000000000);
INSERT INTO "run" VALUES(1,'reminder.weekly',1768201200000000,1768201200000000);
INSERT INTO "run" VALUES(1,'window:1',1768258800000000,1768258800000000);
CREATE TABLE schema_version (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
INSERT INTO "schema_version" VALUES(1,'first');
CREATE TABLE seal (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id)
) STRICT;
INSERT INTO "seal" VALUES(1);
INSERT INTO "seal" VALUES(2);
INSERT INTO "seal" VALUES(3);
INSERT INTO "seal" VALUES(4);
INSERT INTO "seal" VALUES(5);
INSERT INTO "seal" VALUES(6);
INSERT INTO "seal" VALUES(7);
INSERT INTO "seal" VALUES(8);
CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    purpose TEXT NOT NULL,
    member_id INTEGER REFERENCES member (id),
    address TEXT NOT NULL,
    nonce TEXT NOT NULL,
    digest TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'used', 'declined', 'superseded')),
    UNIQUE (club_id, digest)
) STRICT;
CREATE UNIQUE INDEX address_primary ON address (member_id) WHERE is_primary = 1;
CREATE UNIQUE INDEX invitation_handle ON invitation (club_id, folded) WHERE state = 'open';
CREATE UNIQUE INDEX invitation_address ON invitation (club_id, address) WHERE state = 'open';
CREATE INDEX game_state ON game (club_id, state, window_ends_at, number);
CREATE INDEX game_result ON game (club_id, result_at) WHERE result_at IS NOT NULL;
CREATE INDEX participant_member ON participant (member_id, game_id);
CREATE INDEX game_step_game ON game_step (game_id, id);
CREATE TRIGGER game_stays_ended BEFORE UPDATE OF state ON game
WHEN OLD.state IN ('final', 'cancelled') AND NEW.state <> OLD.state
BEGIN
    SELECT RAISE(ABORT, 'nothing leaves final or cancelled');
END;
CREATE UNIQUE INDEX entry_reverses ON entry (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX entry_game ON entry (game_id) WHERE game_id IS NOT NULL;
CREATE INDEX posting_account ON posting (account_id, at, entry_id, line, amount_cents);
CREATE TRIGGER posting_before_seal BEFORE INSERT ON posting
WHEN EXISTS (SELECT 1 FROM seal WHERE entry_id = NEW.entry_id)
BEGIN
    SELECT RAISE(ABORT, 'the entry is sealed');
END;
CREATE TRIGGER posting_keeps_balance AFTER INSERT ON posting
BEGIN
    UPDATE account SET balance_cents = balance_cents + NEW.amount_cents WHERE id = NEW.account_id;
END;
CREATE TRIGGER seal_needs_balance BEFORE INSERT ON seal
WHEN (SELECT count(*) >= 2 AND sum(amount_cents) = 0 FROM posting WHERE entry_id = NEW.entry_id) IS NOT 1
BEGIN
    SELECT RAISE(ABORT, 'the entry has fewer than two postings or does not sum to zero');
END;
CREATE TRIGGER seal_needs_one_club BEFORE INSERT ON seal
WHEN EXISTS (
    SELECT 1 FROM posting p
    JOIN entry e ON e.id = p.entry_id
    JOIN account a ON a.id = p.account_id
    WHERE p.entry_id = NEW.entry_id AND (a.club_id <> e.club_id OR p.at <> e.at)
)
BEGIN
    SELECT RAISE(ABORT, 'a posting is of another club or instant than its entry');
END;
CREATE TRIGGER entry_is_new BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER entry_keeps BEFORE UPDATE ON entry
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER posting_keeps BEFORE UPDATE ON posting
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER posting_stays BEFORE DELETE ON posting
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER seal_keeps BEFORE UPDATE ON seal
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER seal_stays BEFORE DELETE ON seal
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE INDEX injunction_state ON injunction (club_id, state);
CREATE INDEX inbox_state ON inbox (club_id, state, received_at, id);
CREATE UNIQUE INDEX inbox_fingerprint ON inbox (club_id, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX token_open ON token (club_id, member_id, purpose, issued_at) WHERE state = 'open';
CREATE INDEX outbox_due ON outbox (club_id, next_at, id) WHERE state = 'queued';
CREATE INDEX outbox_latest ON outbox (club_id, kind, recipient, id);
CREATE TRIGGER audit_appends BEFORE INSERT ON audit
WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM audit WHERE club_id = NEW.club_id)
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;
CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit chain is append-only');
END;
COMMIT;
